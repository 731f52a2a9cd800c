"""A guess's logit as a sum over the words: what of each vector, layer after layer, came in with which token.

With what a run did held (its attention weights, the spread that each norm divided by, the factor that each unit of
feed-forward had: what came out over what went in), every vector of every layer is a linear function of what came in.
So it is a sum with one part for each token that came in (its word, position and norm together) and one for all biases
(cf. Modarressi et al. 2023). It says how this run was added up, not what would happen without a word.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Target, whole_words
from encoder.metrics.answer import answers
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.feed_forward import FeedForward
from encoder.model.linear import Linear
from encoder.model.normalization import LayerNorm
from encoder.model.tap import Recorder
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, tokens

BIASES, REST = -2, -1  # the places of what comes from no token, and of rounding and what edits put in or took away
BESIDE = 2  # parts that are no tokens
MOST_BYTES = 3e8  # of the parts of all vectors of a layer


@dataclass(frozen=True)
class WordSum:
    """The logits of some words at one position as sums over tokens.

    `adds` [words, n + 2] is what each token's part puts into the logit of each word, then the biases, then the rest, in
    the numbers of the run; along the last axis all of them add up to `values` [words], the logits. `read` [n_layers +
    1, words, n + 2] is the same of the vector before the first layer and after each as the model's own head would read
    it there: a reading, not a belief. `lengths` [n_layers + 1, n + 2] are those of the parts, which partly cancel.
    """

    adds: Tensor
    values: Tensor
    read: Tensor
    lengths: Tensor

    def lead(self, word: int = 0, against: int = 1) -> Tensor:
        """What each part adds to the lead of one of the words over another: [n + 2]."""
        return self.adds[word] - self.adds[against]


class Parts:
    """The vectors of some tokens at a step of a run, each as the sum of its parts.

    `vectors` [rows, n + 2, d] are the parts of each row's vector, in the order of WordSum; `at` names the rows.
    """

    def __init__(self, trace: Trace, vectors: Tensor, at: list[int]) -> None:
        self.trace = trace
        self.vectors = vectors
        self.at = at

    @classmethod
    def came_in(cls, trace: Trace) -> "Parts":
        """What came in: each token's own vector, made of itself alone."""
        vectors = rows(trace, "embedding.output")
        n, d = vectors.shape
        parts = vectors.new_zeros(n, n + BESIDE, d)
        parts[range(n), range(n)] = vectors
        return cls(trace, parts, list(range(n)))

    def recorded(self, step: str) -> Tensor:
        """What the run has at a step, for these rows: [rows, ...]."""
        return self.trace[step][self.at]

    def settle(self, step: str) -> "Parts":
        """Take what the parts miss of a recorded sum as the rest."""
        self.vectors[:, REST] += self.recorded(step) - self.vectors.sum(1)
        return self

    def plus(self, other: Tensor) -> "Parts":
        """These, and parts of the same rows added to them."""
        return Parts(self.trace, self.vectors + other, self.at)

    def only(self, at: list[int]) -> "Parts":
        """Some of the rows."""
        return Parts(self.trace, self.vectors[[self.at.index(i) for i in at]], at)

    def norm(self, norm: LayerNorm, inside: str) -> "Parts":
        """Through a norm, with the spread that it had for each row."""
        out = norm.of_part(self.vectors, lambda name: self.recorded(f"{inside}.{name}")[:, None])
        out[:, BIASES] += norm.bias
        return Parts(self.trace, out, self.at)

    def attend(self, attention: Attention, layer: int, at: list[int]) -> Tensor:
        """What attention writes for some tokens, by where it came from: [rows, n + 2, d_model]."""
        n, parts, _ = self.vectors.shape
        values = self.vectors @ attention.w_v.weight.T  # of all tokens
        values[:, BIASES] += attention.w_v.bias
        split = values.view(n, parts, attention.n_heads, attention.d_head)
        weights = self.trace[f"layers.{layer}.attention.weights"][:, at, :n]  # [H, rows, n]
        mixed = torch.einsum("hik,kphd->iphd", weights, split).flatten(2)
        out: Tensor = mixed @ attention.w_o.weight.T
        out[:, BIASES] += attention.w_o.bias
        return out

    def fed(self, block: FeedForward, layer: int) -> Tensor:
        """What feed-forward writes, by where it came from: [rows, n + 2, d_model].

        Each unit multiplies by the factor that it had. Behind a gate it is the gate that is held, and the other half of
        the unit that is shared out.
        """
        inside = f"layers.{layer}.feed_forward."
        hidden, activation = self.recorded(f"{inside}hidden"), self.recorded(f"{inside}activation")
        way, factor = (
            (block.w_1, torch.where(hidden == 0, 0.0, activation / hidden))
            if block.w_up is None
            else (block.w_up, activation)
        )
        out = torch.stack(
            [through(vectors, way, block.w_2, held) for vectors, held in zip(self.vectors, factor, strict=True)]
        )
        out[:, BIASES] += block.w_2.bias
        return out


def through(parts: Tensor, widen: torch.nn.Linear, narrow: torch.nn.Linear, factor: Tensor) -> Tensor:
    """Parts [k, d] of one vector through two linear maps with a factor [d_ff] for each unit between them.

    Units that are shut take no time.
    """
    into, bias, out = widen.weight.data, widen.bias.data, narrow.weight.data
    open_units = factor.nonzero().squeeze(-1)
    if len(open_units) < len(factor) / 2:
        into, bias, factor = (values.index_select(0, open_units) for values in (into, bias, factor))
        out = out.index_select(1, open_units)
    inner = parts @ into.T
    inner[BIASES] += bias
    result: Tensor = (inner * factor) @ out.T
    return result


def after_layers(encoder: TextEncoder, trace: Trace, read_at: list[int]) -> Iterator[Parts]:
    """Give the parts of all vectors before the first layer and after each, but after the last one of some alone.

    The last ones have been through the norm behind the stack, where there is one.
    """
    model = encoder.model
    now = Parts.came_in(trace)
    yield now
    for i, layer in enumerate(model.layers):
        assert isinstance(layer, Block)
        at, last = f"layers.{i}.", i == len(model.layers) - 1
        wanted = read_at if last else now.at
        read = now.norm(layer.norm1, f"{at}add_norm_1") if layer.norm_first else now
        now = now.only(wanted).plus(read.attend(layer.attention, i, wanted)).settle(f"{at}add_norm_1.sum")
        now = now if layer.norm_first else now.norm(layer.norm1, f"{at}add_norm_1")
        now.settle(f"{at}add_norm_2.residual")
        read = now.norm(layer.norm2, f"{at}add_norm_2") if layer.norm_first else now
        now = now.plus(read.fed(layer.feed_forward, i)).settle(f"{at}add_norm_2.sum")
        now = now if layer.norm_first else now.norm(layer.norm2, f"{at}add_norm_2")
        now.settle(f"{at}output")
        if last:
            now = now if model.final_norm is None else now.norm(model.final_norm, "final_norm")
            now.settle("output")
        yield now


def normed(norm: LayerNorm, parts: Tensor) -> Tensor:
    """Parts [k, d] of one vector through a norm, with the spread of their sum."""
    spread: dict[str, Tensor] = {}
    norm(parts.sum(0), Recorder(spread, {}))
    out = norm.of_part(parts, spread.__getitem__)
    out[BIASES] += norm.bias
    return out


def read_by_head(encoder: TextEncoder, parts: Tensor, words: Sequence[int]) -> Tensor:
    """What parts [k, d_model] of one vector put into logits, as the head reads their sum: [words or labels, k]."""
    words_head, labels_head, some = encoder.model.mlm_head, encoder.model.classifier, list(words)
    if words_head is not None:
        bent = through_bend(parts, words_head.transform, words_head.activation)
        rows, bias = encoder.model.embedding.tokens.weight[some], words_head.bias[some]
        out = normed(words_head.norm, bent)
    else:
        assert labels_head is not None
        out, rows, bias = parts, labels_head.output.weight[some], labels_head.output.bias[some]
        if labels_head.transform is not None and labels_head.activation is not None:
            out = through_bend(out, labels_head.transform, labels_head.activation)
        if labels_head.norm is not None:
            out = normed(labels_head.norm, out)
    result: Tensor = rows @ out.T
    result[:, BIASES] += bias
    return result


def through_bend(parts: Tensor, linear: Linear, activation: Callable[[Tensor], Tensor]) -> Tensor:
    """Parts [k, d] of one vector through a linear map and an activation, which multiplies by what it did to the sum."""
    came = linear(parts.sum(0))
    inner = parts @ linear.weight.T
    inner[BIASES] += linear.bias
    return inner * torch.where(came == 0, 0.0, activation(came) / came)


def read_together(encoder: TextEncoder, parts: Parts, words: Sequence[int], last: bool) -> tuple[Tensor, Tensor]:
    """What the parts of the vectors that an answer is read from put into its logits, and the parts of their mean.

    Returns:
        [words, k], and [k, d_model].
    """
    model, how = encoder.model, answers(encoder.config)
    vectors = list(parts.vectors)
    if model.final_norm is not None and not last:
        vectors = [normed(model.final_norm, vector) for vector in vectors]
    mean = torch.stack(vectors).mean(0)
    vectors = [mean] if how.labels is not None and how.labels.pools else vectors
    return torch.stack([read_by_head(encoder, vector, words) for vector in vectors]).mean(0), mean


@torch.inference_mode()
def sum_over_words(encoder: TextEncoder, trace: Trace, position: int, words: Sequence[int]) -> WordSum:
    """The logits of words at a position, or of labels, as sums over the tokens that came in.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        position: where the words are guessed; of labels see `encoder.metrics.answer`.
        words: their ids.

    Returns:
        what each token adds, at the end and as it would be read after each layer; in the numbers of the run.

    Raises:
        EncoderError: see `Target.check`; a text whose parts would take more than MOST_BYTES.
    """
    for word in words:
        Target(position, word).check(encoder, trace)
    n = len(tokens(trace))
    if n * (n + BESIDE) * trace.config.d_model * trace["embedding.output"].element_size() > MOST_BYTES:
        raise EncoderError(f"the parts of {n} tokens would take too much memory; take a shorter text")
    how, layers = answers(encoder.config), trace.config.n_layers
    at = how.read(trace, position)
    own = [
        read_together(encoder, parts.only(at), words, i == layers)
        for i, parts in enumerate(after_layers(encoder, trace, at))
    ]
    read = torch.stack([scores for scores, _ in own])
    values, adds = how.scores(trace, position)[list(words)], read[-1].clone()
    adds[:, REST] += values - adds.sum(-1)
    return WordSum(adds, values, read, torch.stack([parts.norm(dim=-1) for _, parts in own]))


def added_by_word(encoder: TextEncoder, trace: Trace, target: Target) -> Tensor:
    """What each word adds to a target, its pieces together, and last what all biases add: [words + 1] in float64.

    What is left over, which is rounding and what edits put in or took away, is counted with the biases, so that all of
    them add up to the target.

    Raises:
        EncoderError: see `Target.check`.
    """
    shared = sum_over_words(encoder, trace, target.position, target.words)
    adds = (shared.adds[0] if target.against is None else shared.lead()).double()
    words = [adds[list(word)].sum() for word in whole_words(trace)]
    return torch.stack([*words, adds[BIASES] + adds[REST]])
