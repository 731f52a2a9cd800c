"""Matrices of attention weights: the scores behind them, their cells, two sentences apart, and two runs apart."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights


def open_scores(trace: Trace, layer: int) -> Tensor:
    """The masked scores of a layer [H, n, n], minus infinity where its mask stands, whatever number the mask puts."""
    masked = trace[f"layers.{layer}.attention.masked"]
    return masked.masked_fill(masked == trace.config.mask_value, -math.inf)


WAYS = {"A->A": (0, 0), "A->B": (0, 1), "B->A": (1, 0), "B->B": (1, 1)}


def segments(trace: Trace) -> Tensor:
    """The sentence of each token, 0 for A and 1 for B, [PAD] left out: [n]."""
    n = len(trace.tokens) - trace.padding
    return torch.tensor((trace.tokenization.segments or (0,) * n)[:n])


def segment_mass(trace: Trace) -> Tensor:
    """Share of the weight that tokens of one sentence give to those of each: [n_layers, H, 2, 2].

    Entry [l, h, 0, 1] is the sum of the weights from a token of A to all tokens of B, averaged over the tokens of A.
    Special tokens count to the sentence that their segment says. Each row sums to 1.

    Raises:
        EncoderError: the run is of one sentence.
    """
    which = segments(trace)
    if not which.any():
        raise EncoderError("this run is of one sentence; shares between sentences need a pair")
    belongs = torch.stack((which == 0, which == 1)).to(trace["output"].dtype)  # [2, n]
    return (belongs / belongs.sum(-1, keepdim=True)) @ attention_weights(trace) @ belongs.T


def between(segments: Sequence[int] | Tensor, way: str) -> Tensor:
    """True where the query is in the first sentence of a way such as "A->B" and the key in the second: [n, n].

    Raises:
        EncoderError: a way that is not one of WAYS.
    """
    if way not in WAYS:
        raise EncoderError(f"way is {way!r}; it must be one of {', '.join(WAYS)}")
    which = torch.as_tensor(segments)
    query, key = WAYS[way]
    return (which == query)[:, None] & (which == key)


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


def subtract(a: Tensor, b: Tensor) -> Tensor:
    """B - A of two tensors of one shape, and 0 where both are equal or neither is a number."""
    return torch.where((a == b) | (a.isnan() & b.isnan()), 0, b - a)
