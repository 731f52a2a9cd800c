"""From token ids to the vectors that enter the first layer: embedding and position (paper, sections 3.4 and 3.5)."""

import math

import torch
from torch import Tensor, nn

from encoder.model.config import EncoderConfig
from encoder.model.normalization import norm_of
from encoder.model.tap import NO_TAP, Tap


def sinusoidal_positions(n: int, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos of the same angle.

    Returns:
        [n, d_model] in float32, computed in float64; every value is within [-1, 1].
    """
    even = torch.arange(0, d_model, 2, dtype=torch.float64, device="cpu")  # [d_model / 2]
    position = torch.arange(n, dtype=torch.float64, device="cpu")
    angle = position[:, None] * 10_000.0 ** (-even / d_model)  # [n, d_model / 2]
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1).float()  # [n, d_model]


class FixedPositions(nn.Module):
    """A table of position vectors that is computed, not learned, and not part of a checkpoint.

    It lives on the CPU even while a model is laid out without memory, since no checkpoint brings it back.
    """

    weight: Tensor

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", table, persistent=False)


def position_table(config: EncoderConfig) -> "nn.Embedding | FixedPositions":
    """The module whose `weight` [max_positions, d_model] holds a vector for every position."""
    n, d_model = config.max_positions, config.d_embedding
    if config.positions == "learned":
        return nn.Embedding(n, d_model)
    if config.positions in ("rotary", "alibi"):
        return FixedPositions(torch.zeros(1, d_model, device="cpu").expand(n, d_model))
    if config.positions == "sinusoidal":
        return FixedPositions(sinusoidal_positions(n, d_model))
    return FixedPositions(torch.zeros(n, d_model, device="cpu"))


class Embedding(nn.Module):
    """output = E[id] * sqrt(d_model) + PE(pos), plus segment vectors and a norm where the model has them.

    Where the tables are narrower than the model, a linear map at the end widens their rows to d_model.

    Shapes: ids and segments [B, n] -> output [B, n, d_model].
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_embedding)
        self.positions = position_table(config)
        self.segments = nn.Embedding(config.n_segments, config.d_embedding) if config.n_segments else None
        self.norm = norm_of(config, config.d_embedding) if config.embedding_norm else None
        self.projection = None if config.embedding_size is None else nn.Linear(config.d_embedding, config.d_model)
        self.scale = math.sqrt(config.d_model) if config.scale_embeddings else None

    def forward(self, ids: Tensor, segments: Tensor | None = None, tap: Tap = NO_TAP) -> Tensor:
        """Look up, scale, add."""
        tokens = tap("tokens", self.tokens(ids))  # [B, n, d_embedding]
        scaled = tap("scaled", tokens if self.scale is None else tokens * self.scale)
        positions = tap("positions", self.positions.weight[: ids.shape[1]].expand_as(tokens))
        x = scaled + positions
        if self.segments is not None:
            x = x + tap("segments", self.segments(torch.zeros_like(ids) if segments is None else segments))
        if self.projection is not None:
            x = tap("sum", x)
            x = x if self.norm is None else self.norm(x, tap.inside("norm"))
            return tap("output", tap("projected", self.projection(x)))  # [B, n, d_model]
        if self.norm is None:
            return tap("output", x)
        normed: Tensor = self.norm(tap("sum", x), tap)
        return normed
