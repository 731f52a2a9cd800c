"""Matrices of attention weights: the scores behind them, their cells, two sentences apart, and two runs apart."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from encoder.metrics.flows import flow_shares
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


def recorded(trace: Trace, name: str, before: Trace | None = None) -> np.ndarray:
    """The values of a step; with another run, how much more they are than there."""
    return trace[name].numpy() if before is None else subtract(before[name], trace[name]).numpy()


def check_same(trace: Trace, before: Trace) -> None:
    """Raise EncoderError where two runs cannot be subtracted row by row: more tokens, or another shape of the model."""
    if len(before.tokens) != len(trace.tokens):
        raise EncoderError(f"the runs have {len(before.tokens)} and {len(trace.tokens)} tokens; they must have as many")
    sizes = [(run.config.n_layers, run.config.n_heads, run.config.d_model, run.config.d_ff) for run in (before, trace)]
    if sizes[0] != sizes[1]:
        raise EncoderError(f"the models have {sizes[0]} and {sizes[1]} layers, heads, dimensions and hidden units")


def all_weights(trace: Trace, before: Trace | None = None) -> np.ndarray:
    """Every layer's attention weights, [n_layers, H, n, n]; with another run, how much more they are than there.

    Raises:
        EncoderError: the other run has more or fewer tokens, or a model of another shape.
    """
    if before is not None:
        check_same(trace, before)
    names = [f"layers.{i}.attention.weights" for i in range(trace.config.n_layers)]
    return np.stack([recorded(trace, name, before) for name in names])


def all_flows(trace: Trace, before: Trace | None = None) -> np.ndarray | None:
    """From where each token really takes, `flow_shares` from 0 to 1, [n_layers, n, n] with [PAD] at zero.

    None where a run does not hold its model; with another run, how much more it is than there.
    """
    if trace.model is None or (before is not None and before.model is None):
        return None
    flows = flow_shares(trace) if before is None else subtract(flow_shares(before), flow_shares(trace))
    padded: np.ndarray = np.zeros([len(flows), len(trace.tokens), len(trace.tokens)], np.float32)
    padded[:, : flows.shape[1], : flows.shape[1]] = flows.numpy()
    return padded
