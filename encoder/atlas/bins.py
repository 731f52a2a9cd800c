"""Fixed bins for numbers above zero, so that counts of different shards add up: of equal width within each doubling."""

import numpy as np
import torch
from torch import Tensor

LOWEST, HIGHEST = -16, 8  # exponents of 2; smaller numbers are in the first bin, larger ones in the last
MANTISSA, BIAS = 23, 127  # of float32


def bins_of(bits: int) -> int:
    """How many bins there are, with 2^bits to each doubling."""
    return (HIGHEST - LOWEST) << bits


def bits_of(bins: int) -> int:
    """The other way round."""
    return (bins // (HIGHEST - LOWEST)).bit_length() - 1


def edges(bins: int) -> np.ndarray:
    """The lower edge of each bin, [bins]."""
    each = 1 << bits_of(bins)
    return np.ldexp(np.tile(1 + np.arange(each) / each, HIGHEST - LOWEST), np.repeat(np.arange(LOWEST, HIGHEST), each))


def bin_of(values: Tensor, bins: int) -> Tensor:
    """The bin of each number above zero, read off its own bits: float32 [...] -> int64 [...]."""
    bits = bits_of(bins)
    own = values.contiguous().view(torch.int32) >> (MANTISSA - bits)
    return (own - ((BIAS + LOWEST) << bits)).clamp(0, bins - 1).long()


def decile_bounds(counts: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Between which numbers each tenth of the counted ones lies: counts [units, bins] -> bounds [units, 11].

    The first is the smallest number `low`, the last the largest `high`; one between is the lower edge of the bin that
    holds the number of that rank. All are 0 where nothing was counted.
    """
    below = np.cumsum(counts, -1)  # [units, bins]
    total = below[:, -1:]
    wanted = np.arange(1, 10) * total / 10  # [units, 9]
    places = np.stack([(below <= one[:, None]).sum(-1) for one in wanted.T], -1).clip(max=counts.shape[-1] - 1)
    inner = np.clip(edges(counts.shape[-1])[places], low[:, None], high[:, None])
    bounds: np.ndarray = np.where(total > 0, np.concatenate([low[:, None], inner, high[:, None]], -1), 0)
    return bounds


def decile_of(counts: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """The decile, 0 to 9, of numbers by their bins [units, k]: ten times the share of numbers in lower bins."""
    below = np.cumsum(counts, -1)
    lower = np.take_along_axis(np.concatenate([np.zeros_like(below[:, :1]), below], -1), bins, -1)
    found: np.ndarray = np.minimum(10 * lower // np.maximum(below[:, -1:], 1), 9)
    return found
