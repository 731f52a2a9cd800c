"""A run's numbers, or how much more they are than in another run of as many tokens; n counts [PAD] too."""

import numpy as np
import torch
from torch import Tensor

from encoder.metrics.flows import flow_shares
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace


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
