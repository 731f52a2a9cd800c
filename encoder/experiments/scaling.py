"""Labs on scores: without the division by sqrt(d_head) softmax is all or nothing, and nothing is learned through it.

Paper, section 3.2.1, footnote 4.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.build import untrained
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.common import at_least, normal, recorded, some
from encoder.metrics import attention_weights, confidence, normalized_entropy
from encoder.model.attention import Attention
from encoder.model.config import LIMITS, EncoderConfig
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True)
class Scaling:
    """How widely each head looks with the division by sqrt(d_head) and without it; every tensor is [n_layers, H].

    Entropy is a share of ln n, from 0 to 1; the largest weight that a token gives, from 1/n to 1. Both are means over
    the tokens that look.
    """

    with_entropy: Tensor
    without_entropy: Tensor
    with_largest: Tensor
    without_largest: Tensor

    @property
    def change(self) -> Tensor:
        """What leaving the division out adds to each head's share of entropy: [n_layers, H]."""
        return self.without_entropy - self.with_entropy


def scaling(encoder: TextEncoder, trace: Trace | Text) -> Scaling:
    """Run a sentence again without the division, in all layers at once, and measure all heads in both runs.

    From layer 1 on a head's input differs too, since the layers before it looked elsewhere. Edits and hidden tokens of
    the trace stay in force.

    Raises:
        EncoderError: the trace is of another model.
    """
    trace = trace if isinstance(trace, Trace) else encoder.trace(trace)
    encoder.check_own(trace)
    undone = [Edit(f"layers.{i}.attention.scaled", "bypass") for i in range(encoder.config.n_layers)]
    without = encoder.trace(trace.inputs, hidden=trace.hidden, edits=(*trace.edits, *undone))
    ours, theirs = attention_weights(trace), attention_weights(without)
    return Scaling(
        normalized_entropy(ours).mean(-1), normalized_entropy(theirs).mean(-1), confidence(ours), confidence(theirs)
    )


class Width(NamedTuple):
    """What the width of a head does to random attention over n tokens.

    `deviation` is the standard deviation of the dot products q . k, to be held against `predicted` = sqrt(d_head).
    Entropy is a share of ln n, and the largest weight from 1/n to 1, with the division by sqrt(d_head) and without it.
    """

    d_head: int
    deviation: float
    predicted: float
    with_entropy: float
    without_entropy: float
    with_largest: float
    without_largest: float


@torch.inference_mode()
def dot_products(
    widths: Sequence[int] = WIDTHS, *, n: int = 16, sentences: int = 32, seed: int = 0
) -> tuple[Width, ...]:
    """Queries and keys of independent standard normal numbers through the model's attention, one width at a time.

    A dot product of d_head independent products of mean 0 and variance 1 has mean 0 and variance d_head (footnote 4).

    Args:
        widths: d_head of the one head.
        n: tokens of each sentence.
        sentences: independent draws, laid together as a batch.
        seed: what pins the numbers.

    Raises:
        EncoderError: no width, or a width, n or number of sentences outside its range.
    """
    at_least(2, n=n)
    at_least(1, sentences=sentences)
    some("widths", widths, *LIMITS["d_model"])
    return tuple(of_width(d_head, normal(2, sentences, 1, n, d_head, seed=seed)) for d_head in widths)


def of_width(d_head: int, drawn: Tensor) -> Width:
    """Run attention of one head on queries and keys [2, B, 1, n, d_head]."""
    ours, theirs = with_and_without(d_head, *drawn)
    with_, without = ours["weights"], theirs["weights"]
    return Width(
        d_head,
        float(ours["scores"].std()),
        math.sqrt(d_head),
        float(normalized_entropy(with_).mean()),
        float(normalized_entropy(without).mean()),
        float(confidence(with_).mean()),
        float(confidence(without).mean()),
    )


def with_and_without(d_head: int, q: Tensor, k: Tensor) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Every step of attention of one head on queries and keys [B, 1, n, d_head], and again without the division."""
    config = EncoderConfig(vocab_size=5, d_model=d_head, n_heads=1, n_layers=1, d_ff=1, positions="none")
    attention = untrained(config, 0).layers[0].attention
    assert isinstance(attention, Attention)
    given = {"q": q, "k": k}
    ours = recorded(attention, q[:, 0], put=given)
    return ours, recorded(attention, q[:, 0], put={**given, "scaled": ours["scores"]})


@torch.inference_mode()
def softmax_of(scores: Sequence[float]) -> Tensor:
    """The attention weights [n] that the model's own softmax makes of one row of n scores.

    Raises:
        EncoderError: no score, or one that is not a number.
    """
    if not scores or any(math.isnan(score) for score in scores):
        raise EncoderError(f"scores are {list(scores)}; give one or more numbers")
    config = EncoderConfig(vocab_size=5, d_model=2, n_heads=1, n_layers=1, d_ff=1, positions="none")
    attention = untrained(config, 0).layers[0].attention
    assert isinstance(attention, Attention)
    row = torch.tensor(scores, dtype=torch.float32).expand(1, 1, len(scores), -1)
    return recorded(attention, torch.zeros(1, len(scores), 2), put={"masked": row})["weights"][0, 0, 0]


def softmax_gradient(scores: Sequence[float]) -> Tensor:
    """How much each weight moves with each score: d p_i / d s_j = p_i (1 if i = j, else 0) - p_i p_j, [n, n].

    p are the weights that the model's softmax makes of the scores. Rows and columns sum to 0: what one weight gains
    the others lose.

    Raises:
        EncoderError: no score, or one that is not a number.
    """
    return jacobian(softmax_of(scores).double())


def jacobian(p: Tensor) -> Tensor:
    """The same of given weights [..., n]: [..., n, n]."""
    return torch.diag_embed(p) - p[..., :, None] * p[..., None, :]


class Slope(NamedTuple):
    """The gradient of softmax over random scores of one width, as its mean length (Frobenius norm) over rows.

    From 0, where one score takes all, to about 0.7, where two share; with the division by sqrt(d_head) and without.
    """

    d_head: int
    with_: float
    without: float


@torch.inference_mode()
def softmax_slopes(widths: Sequence[int] = WIDTHS, *, n: int = 16, rows: int = 256, seed: int = 0) -> tuple[Slope, ...]:
    """Rows of n scores q . k of independent standard normal numbers, and how steep softmax is there.

    Raises:
        EncoderError: no width, or a width, n or number of rows outside its range.
    """
    at_least(2, n=n)
    at_least(1, rows=rows)
    some("widths", widths, *LIMITS["d_model"])
    return tuple(slope(d, normal(rows, n + 1, d, seed=seed)) for d in widths)


def slope(d_head: int, drawn: Tensor) -> Slope:
    """Of queries and keys [rows, 1 + n, d_head], the query of each row first, through the model's attention."""
    keys = drawn[:, None, 1:]  # [rows, 1, n, d_head]
    ours, theirs = with_and_without(d_head, drawn[:, None, :1].expand_as(keys), keys)
    divided, bare = (
        float(jacobian(run["weights"][:, 0, 0].double()).flatten(1).norm(dim=1).mean()) for run in (ours, theirs)
    )
    return Slope(d_head, divided, bare)
