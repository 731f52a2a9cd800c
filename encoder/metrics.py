"""Reductions over a trace: numbers that say something about a step without showing all of it."""

import torch
from torch import Tensor

from encoder.trace import Trace


def stream(trace: Trace) -> Tensor:
    """Every token's vector before the first layer and after each one: [n_layers + 1, n, d_model]."""
    outputs = [trace[f"layers.{i}.output"] for i in range(trace.config.n_layers)]
    return torch.stack([trace["embedding.output"], *outputs])


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


def silent_share(activation: Tensor) -> Tensor:
    """Share of units that are exactly zero, for each token: [n, d_ff] -> [n], from 0 to 1."""
    return (activation == 0).float().mean(-1)


def most_active(activation: Tensor, k: int = 5) -> tuple[Tensor, Tensor]:
    """The k largest activations of each token: [n, d_ff] -> values [n, k] and unit numbers [n, k]."""
    values, units = activation.topk(min(k, activation.shape[-1]), dim=-1)
    return values, units


def weighted_values(trace: Trace, layer: int, head: int, query: int) -> Tensor:
    """What one token takes from each token: [n, d_head]; the rows add up to attention.heads[head, query]."""
    at = f"layers.{layer}.attention."
    return trace[at + "weights"][head, query, :, None] * trace[at + "v"][head]
