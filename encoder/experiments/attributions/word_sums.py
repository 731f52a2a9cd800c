"""A guess's logit as a sum over the words: what of each vector, layer after layer, came in with which token.

With what a run did held (its attention weights, the spread that each norm divided by, the factor that each unit of
feed-forward had: what came out over what went in), every vector of every layer is a linear function of what came in.
So it is a sum with one part for each token that came in (its word, position and norm together) and one for all biases
(cf. Modarressi et al. 2023). It says how this run was added up, not what would happen without a word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Target, whole_words
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.feed_forward import FeedForward
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
    open_units = factor.nonzero().squeeze(-1)
    some = open_units if len(open_units) < len(factor) / 2 else slice(None)
    inner = parts @ widen.weight[some].T
    inner[BIASES] += widen.bias[some]
    result: Tensor = (inner * factor[some]) @ narrow.weight[:, some].T
    return result


def after_layers(encoder: TextEncoder, trace: Trace, position: int) -> Iterator[Parts]:
    """Give the parts of all vectors before the first layer and after each, but after the last one of `position` alone.

    The last ones have been through the norm behind the stack, where there is one.
    """
    model = encoder.model
    now = Parts.came_in(trace)
    yield now
    for i, layer in enumerate(model.layers):
        assert isinstance(layer, Block)
        at, last = f"layers.{i}.", i == len(model.layers) - 1
        wanted = [position] if last else now.at
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
    """What parts [k, d_model] of one vector put into logits, as the head for words reads their sum: [words, k]."""
    head, table = encoder.model.mlm_head, encoder.model.embedding.tokens.weight
    assert head is not None
    came = head.transform(parts.sum(0))
    inner = parts @ head.transform.weight.T
    inner[BIASES] += head.transform.bias
    out = normed(head.norm, inner * torch.where(came == 0, 0.0, head.activation(came) / came))
    result: Tensor = table[list(words)] @ out.T
    result[:, BIASES] += head.bias[list(words)]
    return result


@torch.inference_mode()
def sum_over_words(encoder: TextEncoder, trace: Trace, position: int, words: Sequence[int]) -> WordSum:
    """The logits of words at a position as sums over the tokens that came in.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        position: where the words are guessed.
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
    final, layers = encoder.model.final_norm, trace.config.n_layers
    own = [parts.only([position]).vectors[0] for parts in after_layers(encoder, trace, position)]
    own = [parts if final is None or i == layers else normed(final, parts) for i, parts in enumerate(own)]
    read = torch.stack([read_by_head(encoder, parts, words) for parts in own])
    values, adds = trace["mlm.logits"][position, list(words)], read[-1].clone()
    adds[:, REST] += values - adds.sum(-1)
    return WordSum(adds, values, read, torch.stack([parts.norm(dim=-1) for parts in own]))


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
