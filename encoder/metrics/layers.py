"""Measures of token vectors on their way through the layers: length, likeness, their paths."""

from typing import NamedTuple

import torch
from torch import Tensor

from encoder.metrics.heads import upright
from encoder.support.errors import EncoderError, integer
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream


def cosine(x: Tensor, y: Tensor) -> Tensor:
    """Cosine of the angle between vectors: [..., d] and [..., d] -> [...], from -1 to 1."""
    return torch.nn.functional.cosine_similarity(x, y, dim=-1)


def cosine_matrix(x: Tensor) -> Tensor:
    """Cosine between every two rows: [n, d] -> [n, n], from -1 to 1; rows of zeros have cosine 0 with all."""
    unit = torch.nn.functional.normalize(x, dim=-1)
    return unit @ unit.mT


def length(x: Tensor) -> Tensor:
    """Euclidean norm of vectors: [..., d] -> [...]."""
    lengths: Tensor = torch.linalg.vector_norm(x, dim=-1)
    return lengths


def longest_to_shortest(x: Tensor) -> float:
    """How many times as long the longest of several vectors is as the shortest: [n, d] -> 1 or more."""
    lengths = length(x)
    return float(lengths.max() / lengths.min().clamp_min(torch.finfo(x.dtype).tiny))


class Pca(NamedTuple):
    """Points in the directions of largest spread.

    `points` [..., k]; `shares` [k], the part of all variance each direction shows; `directions` [k, d] and `centre` [d]
    take any vector to the same picture: (x - centre) @ directions.T.
    """

    points: Tensor
    shares: Tensor
    directions: Tensor
    centre: Tensor


def pca(x: Tensor, k: int = 2) -> Pca:
    """Principal components of vectors [..., d], all together in one basis; k is cut to min(number of vectors, d).

    The sign of each direction is chosen so that its largest number is positive. Shares are 0 where nothing varies.
    """
    k = integer("k", k, 1)
    flat = x.flatten(0, -2).double()
    centre = flat.mean(0)
    _, spread, directions = torch.linalg.svd(flat - centre, full_matrices=False)
    variance = spread.square()
    directions = upright(directions[:k].T).T
    points = (x.double() - centre) @ directions.T
    shares = variance[:k] / variance.sum().clamp_min(torch.finfo(torch.float64).tiny)
    return Pca(points.float(), shares.float(), directions.float(), centre.float())


def token_paths(trace: Trace, k: int = 2) -> Pca:
    """The way of every token through the layers: `pca` of all tokens before the first layer and after each one.

    `points` is [n_layers + 1, n, k].
    """
    return pca(stream(trace), k)


def linear_cka(x: Tensor, y: Tensor, debiased: bool = False) -> float:
    """How alike two sets of vectors of the same samples are, up to rotation and scale (Kornblith et al. 2019).

    ||Y^T X||_F^2 / (||X^T X||_F ||Y^T Y||_F) with centred columns, from 0 to 1. With fewer samples than dimensions it
    is biased upward; `debiased` uses the unbiased estimator of Song et al. 2012 instead, which can fall below 0.

    Args:
        x: [samples, d].
        y: [samples, any d].
        debiased: needs 4 samples or more.

    Returns:
        the likeness; nan where one of them does not vary at all.

    Raises:
        EncoderError: different numbers of samples, or too few.
    """
    if len(x) != len(y):
        raise EncoderError(f"{len(x)} and {len(y)} samples; both need the same ones")
    return float(cka_of(gram(x, debiased), gram(y, debiased)))


def cka_matrix(layers: Tensor, debiased: bool = False) -> Tensor:
    """`linear_cka` between every two of [layers, samples, d]: [layers, layers]."""
    grams = [gram(x, debiased) for x in layers]
    alike = torch.zeros(len(grams), len(grams))
    for i, a in enumerate(grams):
        for j in range(i + 1):
            alike[i, j] = alike[j, i] = cka_of(a, grams[j])
    return alike


def gram(x: Tensor, debiased: bool) -> Tensor:
    """Inner products of centred samples [samples, samples]; debiased, without those of a sample with itself.

    U-centring (Szekely & Rizzo 2014) makes the mean of products of two such matrices the unbiased estimator.
    """
    least = 4 if debiased else 2
    if len(x) < least:
        raise EncoderError(f"{len(x)} samples; linear CKA {'debiased ' if debiased else ''}needs {least} or more")
    x = x.double() - x.double().mean(0)
    inner = x @ x.T
    if not debiased:
        return inner
    n, others = len(inner), 1 - torch.eye(len(inner), dtype=inner.dtype)
    inner = inner * others
    mean = inner.sum(0) / (n - 2)
    return (inner - mean - mean[:, None] + mean.sum() / (n - 1)) * others


def cka_of(a: Tensor, b: Tensor) -> Tensor:
    """The cosine of two Gram matrices as long vectors."""
    a, b = a.flatten(), b.flatten()
    return a @ b / (a @ a * (b @ b)).sqrt()
