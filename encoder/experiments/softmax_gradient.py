"""Lab softmax gradient: where softmax is all or nothing, nothing is learned through it (paper, section 3.2.1)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.experiments.common import at_least, normal, some
from encoder.experiments.scaling import WIDTHS, softmax_of
from encoder.model.config import LIMITS


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
    """Of queries and keys [rows, 1 + n, d_head], the query of each row first."""
    scores = (drawn[:, :1] * drawn[:, 1:]).sum(-1).double()  # [rows, n]
    divided, bare = (
        float(jacobian(s.softmax(-1)).flatten(1).norm(dim=1).mean()) for s in (scores / math.sqrt(d_head), scores)
    )
    return Slope(d_head, divided, bare)
