"""Measures of attention heads, from their weights alone.

Weights are [H, n, n], rows are queries, columns keys, every row sums to 1; leading dimensions are kept, so one layer or
all layers at once go in. Attention weights do not by themselves explain a prediction (Jain & Wallace 2019).
"""

import math

import numpy as np
import torch
from torch import Tensor

from encoder.support.errors import EncoderError, integer
from encoder.support.progress import pulse


def entropy(weights: Tensor) -> Tensor:
    """How widely each token looks: -sum_j A_ij ln A_ij, with 0 ln 0 = 0 (Clark et al. 2019, section 3.3).

    Returns:
        [H, n] in nats: 0 for a row on one token, ln n for a row spread evenly over all.
    """
    parts: Tensor = torch.special.entr(weights)
    return parts.sum(-1)


def normalized_entropy(weights: Tensor) -> Tensor:
    """Entropy as a share of the most it could be, ln n: [H, n] from 0 to 1.

    With one token (ln 1 = 0) there is nothing to choose from, and the share is 0. Hidden keys count in n: a sentence
    with hidden tokens cannot reach 1.
    """
    n = weights.shape[-1]
    return entropy(weights) / math.log(n) if n > 1 else torch.zeros_like(weights[..., 0])


def offsets(n: int, device: torch.device | None = None) -> Tensor:
    """Key position minus query position, j - i: [n, n]."""
    position = torch.arange(n, dtype=torch.float32, device=device)
    return position - position[:, None]


def distance(weights: Tensor) -> Tensor:
    """How far a head looks: mean over i of sum_j A_ij |i - j|, [H] in tokens (Vig & Belinkov 2019, per sentence).

    Special tokens count like all others. Even attention gives `uniform_distance(n)`.
    """
    return (weights * offsets(weights.shape[-1], weights.device).abs()).sum(-1).mean(-1)


def uniform_distance(n: int) -> float:
    """The distance of attention spread evenly over n tokens: (n^2 - 1) / (3n), in tokens."""
    return (n * n - 1) / (3 * n)


def offset(weights: Tensor) -> Tensor:
    """Which way a head looks: mean over i of sum_j A_ij (j - i), [H] in tokens; below 0 back, above 0 ahead."""
    return (weights * offsets(weights.shape[-1], weights.device)).sum(-1).mean(-1)


def confidence(weights: Tensor) -> Tensor:
    """How sure a head is: mean over i of max_j A_ij, [H] from 1/n to 1 (Voita et al. 2019).

    Every key counts; Voita et al. leave the end-of-sentence key out. It depends on n: show 1/n beside it.
    """
    return weights.amax(-1).mean(-1)


def js_distance(weights: Tensor) -> Tensor:
    """How unlike two heads are: Jensen-Shannon divergence of their rows, averaged over the rows.

    (KL(P||M) + KL(Q||M)) / 2 with M = (P + Q) / 2, computed as H(M) - (H(P) + H(Q)) / 2 in float64 (Clark et al. 2019,
    section 6, who add up the rows). Takes [H, rows, n], so rows of several sentences may be laid together.

    Returns:
        [H, H] in nats, symmetric, from 0 (the same rows) to ln 2 (never on the same token).
    """
    weights = weights.double()
    alone = entropy(weights)  # [H, rows]
    unlike = torch.zeros(len(weights), len(weights), dtype=torch.float64)
    for h in range(len(weights)):
        pulse()
        together = entropy((weights[h] + weights[h:]) / 2)
        unlike[h, h:] = unlike[h:, h] = (together - (alone[h] + alone[h:]) / 2).mean(-1)
    return unlike.clamp(0, math.log(2)).float()


def plane(distances: Tensor, k: int = 2) -> tuple[Tensor, Tensor]:
    """A map of heads on which likeness is nearness: classical scaling (Torgerson 1952), distances [H, H] as squares.

    Jensen-Shannon divergence is the square of a metric (Endres & Schindelin 2003), and that metric fits into Euclidean
    space (Fuglede & Topsoe 2004), so
    points of more and more dimensions have exactly these squared distances.

    Returns:
        points [H, k], the widest dimension first, and the share of all spread that each dimension shows [k].
    """
    k = integer("k", k, 1)
    squares = distances.double()
    centred = squares - squares.mean(0) - squares.mean(1, keepdim=True) + squares.mean()
    spread, directions = torch.linalg.eigh(-centred / 2)
    spread, directions = spread.flip(0).clamp_min(0), directions.flip(1)
    points = torch.zeros(len(squares), k, dtype=torch.float64)
    shares = torch.zeros(k, dtype=torch.float64)
    k = min(k, len(squares))
    points[:, :k] = upright(directions[:, :k]) * spread[:k].sqrt()
    shares[:k] = spread[:k] / spread.sum().clamp_min(torch.finfo(torch.float64).tiny)
    return points.float(), shares.float()


def upright(columns: Tensor) -> Tensor:
    """Columns whose largest number in size is positive: eigenvectors have no sign of their own, pictures need one."""
    largest = columns.gather(0, columns.abs().argmax(0, keepdim=True))
    return columns * torch.where(largest < 0, -1.0, 1.0)


def together(weights: Tensor | np.ndarray, heads: list[int], how: str = "mean") -> Tensor:
    """Several heads of weights [H, n, n] as one [n, n]: their "mean" (rows sum to 1) or "max" (rows no longer do).

    Raises:
        EncoderError: no head, a head that is not there, or another word for `how`.
    """
    if not heads or not all(0 <= h < len(weights) for h in heads):
        raise EncoderError(f"heads are {heads}; choose 1 or more from 0 to {len(weights) - 1}")
    if how not in ("mean", "max"):
        raise EncoderError(f"how is {how!r}; it must be mean or max")
    weights = torch.as_tensor(weights)
    return weights[heads].mean(0) if how == "mean" else weights[heads].amax(0)
