"""Measures of feed-forward units, and the words that vectors point to."""

from collections.abc import Sequence

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.head_measures import runs
from encoder.metrics.layers import length
from encoder.metrics.lens import goes_on, word, wordless
from encoder.metrics.sentences import SENTENCES
from encoder.model.activations import ACTIVATIONS
from encoder.model.block import Block
from encoder.support.errors import EncoderError, integer, of_kind
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream, tokens


def activation_curve(trace: Trace, layer: int, token: int, points: int = 201) -> tuple[Tensor, Tensor]:
    """The model's activation from the smallest to the largest number that one token brings to it: x and y [points]."""
    token = integer("token", token, 0, len(trace.tokens) - 1)
    hidden = trace[f"layers.{layer}.feed_forward.hidden"][token]
    x = torch.linspace(float(hidden.min()), float(hidden.max()), integer("points", points, 2, 100_000))
    return x, ACTIVATIONS[trace.config.activation].function(x)


def unit_sides(trace: Trace, layer: int, token: int) -> dict[str, Tensor]:
    """What the units of one token hold before and after the activation: two times [d_ff]."""
    token = integer("token", token, 0, len(trace.tokens) - 1)
    name = f"layers.{layer}.feed_forward."
    return {"before": trace[f"{name}hidden"][token], "after": trace[f"{name}activation"][token]}


def never_positive(encoder: TextEncoder, sentences: Sequence[Text] = SENTENCES) -> Tensor:
    """Which feed-forward units get no number above zero, at no token of all the sentences: [n_layers, d_ff] of bool.

    With ReLU such a unit is dead there: it adds nothing to any vector. GELU and SiLU let a little through below zero.

    Raises:
        EncoderError: no sentence.
    """
    if not sentences:
        raise EncoderError("got 0 sentences; give 1 or more")
    layers = range(encoder.config.n_layers)
    dead = torch.ones(encoder.config.n_layers, encoder.config.d_ff, dtype=torch.bool)
    for trace in runs(encoder, sentences):
        dead &= torch.stack([(trace[f"layers.{i}.feed_forward.hidden"] <= 0).all(0) for i in layers])
    return dead


def most_active(activation: Tensor, k: int = 5) -> tuple[Tensor, Tensor]:
    """The k largest activations of each token: [n, d_ff] -> values [n, k] and unit numbers [n, k]."""
    values, units = activation.topk(min(integer("k", k, 1), activation.shape[-1]), dim=-1)
    return values, units


@torch.inference_mode()
def nearest_words(encoder: TextEncoder, what: Tensor | int, k: int = 10) -> list[tuple[str, float]]:
    """The words whose static embedding points most nearly the same way, with the cosine, the nearest first.

    Args:
        encoder: whose embedding table is searched; what stands for no word, as [PAD] does, is no answer.
        what: a vector [d_model], or the id of a token, which is then left out of the answer, as are pieces that go on
            with a word where it is none. A vector is held against the widened embeddings where the model's tables are
            narrower than d_model.
        k: how many.

    Raises:
        EncoderError: a vector of another width, or an id outside the vocabulary.
    """
    k = integer("k", k, 1)
    table = encoder.model.embedding.tokens.weight if isinstance(what, int) else widened(encoder)
    if isinstance(what, int):
        what = integer("token id", what, 0, len(table) - 1)
    elif of_kind("what", what, Tensor, "a vector, or the id of a token").shape != table.shape[1:]:
        raise EncoderError(f"the vector is {list(what.shape)}; it must be [{table.shape[1]}]")
    near = cosines(table, length(table), table[what] if isinstance(what, int) else what)
    if isinstance(what, int):
        near[what] = -torch.inf
        if not (pieces := goes_on(encoder))[what]:
            near[pieces] = -torch.inf
    return best_words(encoder, near, k)


def cosines(table: Tensor, lengths: Tensor, vector: Tensor) -> Tensor:
    """The cosine of a vector [d] with every row of a table [rows, d] of known lengths [rows]: [rows]; 0 for zeros."""
    return table @ vector / (lengths * length(vector)).clamp_min(torch.finfo(torch.float32).tiny)


def best_words(encoder: TextEncoder, near: Tensor, k: int) -> list[tuple[str, float]]:
    """The k words with the largest values of [vocab], the largest first; fewer where there are no more."""
    among = near.masked_fill(wordless(encoder), -torch.inf)
    top = among.topk(min(k, int((among > -torch.inf).sum())))
    return [(word(encoder, i), value) for i, value in zip(top.indices.tolist(), top.values.tolist(), strict=True)]


@torch.inference_mode()
def nearest_by_layer(encoder: TextEncoder, trace: Trace, token: int, k: int = 5) -> list[list[tuple[str, float]]]:
    """`nearest_words` of one token's vector before the first layer and after each one: n_layers + 1 lists of k.

    A token's vector drifts away from the table it came from, so cosines fall with depth; the order still tells.

    Raises:
        EncoderError: the trace is of another model.
    """
    encoder.check_own(trace)
    token, k = integer("token", token, 0, len(tokens(trace)) - 1), integer("k", k, 1)
    table = widened(encoder)
    lengths = length(table)
    return [best_words(encoder, cosines(table, lengths, x[token]), k) for x in stream(trace)]


def widened(encoder: TextEncoder) -> Tensor:
    """The embedding table as the layers meet it, [vocab, d_model]: widened where the model's own is narrower."""
    embedding = encoder.model.embedding
    return embedding.tokens.weight if embedding.projection is None else embedding.projection(embedding.tokens.weight)


def unit_vector(encoder: TextEncoder, layer: int, unit: int) -> Tensor:
    """What a feed-forward unit adds to the stream for each 1.0 of its activation: row `unit` of W_2, [d_model].

    Raises:
        EncoderError: a layer or unit that is not there.
    """
    config = encoder.config
    layer, unit = integer("layer", layer, 0, config.n_layers - 1), integer("unit", unit, 0, config.d_ff - 1)
    block = encoder.model.layers[layer]
    assert isinstance(block, Block)
    return block.feed_forward.w_2.weight[:, unit]


def unit_words(encoder: TextEncoder, layer: int, unit: int, k: int = 10) -> list[tuple[str, float]]:
    """The words that a unit's output vector points to: `nearest_words` of row `unit` of W_2.

    After Geva et al. 2021, who take inner products with the output embedding; the cosine keeps long embeddings from
    winning everywhere. The vector still goes through norms, later layers and the head before it names a word.
    """
    return nearest_words(encoder, unit_vector(encoder, layer, unit), k)
