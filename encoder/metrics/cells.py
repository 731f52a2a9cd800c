"""What stands out among the cells of a matrix of weights [rows that look, columns that are looked at]."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from encoder.metrics.pairs import between
from encoder.support.errors import EncoderError


def largest_cell(values: Tensor | np.ndarray) -> tuple[int, int]:
    """Row and column of the largest of values [rows, columns], the first one among equals."""
    row, column = divmod(int(values.argmax()), values.shape[1])
    return row, column


def largest_pair(weights: np.ndarray, special: Sequence[bool] = ()) -> tuple[int, int]:
    """The row and column of the largest of weights [n, m] between two words; of all where none or all are special.

    `special` marks the tokens, among rows and columns alike, that are not words: [CLS], [SEP], padding.
    """
    told_apart = any(special) and not all(special)
    words = np.flatnonzero(~np.asarray(special)) if told_apart else np.arange(len(weights))
    among = words if told_apart else np.arange(weights.shape[1])
    row, column = np.unravel_index(weights[np.ix_(words, among)].argmax(), (len(words), len(among)))
    return int(words[row]), int(among[column])


def given_and_received(weights: Tensor, tokens: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Where some tokens look, and who looks at them, in weights [n, n].

    Returns:
        the mean of the tokens' rows [n], so shares of their own weight; the sum of their columns [n], so the share of
        its weight that each token gives to them.

    Raises:
        EncoderError: no token, or one that is not there.
    """
    n = len(weights)
    if not tokens or not all(0 <= i < n for i in tokens):
        raise EncoderError(f"tokens are {list(tokens)}; choose 1 or more from 0 to {n - 1}")
    chosen = list(tokens)
    return weights[chosen].mean(0), weights[:, chosen].sum(1)


def only_between(weights: Tensor, segments: Sequence[int], way: str) -> tuple[Tensor, float]:
    """The weights [n, n] of one way between the sentences of a pair, all others 0, and their share.

    The share is that of all the weight which the queries of this way give, in total 1 for each: from 0 to 1.
    """
    kept = between(segments, way)
    alone = torch.where(kept, weights, 0.0)
    return alone, float(alone.sum() / kept.any(1).sum())
