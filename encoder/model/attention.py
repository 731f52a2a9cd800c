"""Multi-head self-attention (paper, sections 3.2.1 and 3.2.2)."""

import math

from torch import Tensor, nn

from encoder.model.config import EncoderConfig
from encoder.model.distance import Rotary, outside, query_minus_key
from encoder.model.linear import Linear
from encoder.model.tap import NO_TAP, Tap


class Attention(nn.Module):
    """output = concat(softmax(Q K^T / sqrt(d_head)) V for every head) W_O + b_O.

    With rotary positions Q and K are turned first. Where distances have vectors R, a score is the sum of three (He et
    al. 2021): query times key, query times what W_K makes of R, key times what W_Q makes of R. A position bias is added
    to the scaled scores; with a window, keys farther away than that are masked. Which of these a layer has, its
    configuration and its number say.

    Shapes: x [B, n, d_model] -> output [B, n, d_model]; `key_padding_mask` [B, 1, 1 or n, n] is true where a
    key may not be looked at; `position_bias` [1, H, n, n]; `distances` [B, 2 n - 1, d_model].
    """

    def __init__(self, config: EncoderConfig, layer: int = 0) -> None:
        super().__init__()
        self.w_q = Linear(config.d_model, config.d_model, config.attention_bias)
        self.w_k = Linear(config.d_model, config.d_model, config.attention_bias)
        self.w_v = Linear(config.d_model, config.d_model, config.attention_bias)
        self.w_o = Linear(config.d_model, config.d_model, config.attention_bias)
        own = config.distance_parts if config.distance_maps else ()
        self.w_k_distance = Linear(config.d_model, config.d_model, config.attention_bias) if "c2p" in own else None
        self.w_q_distance = Linear(config.d_model, config.d_model, config.attention_bias) if "p2c" in own else None
        self.distance_parts = config.distance_parts
        self.rotary = Rotary(config, layer) if config.positions == "rotary" else None
        self.window = config.window_of(layer)
        self.n_heads = config.n_heads
        self.d_head = config.d_head
        self.score_size = config.score_size
        self.mask_value = config.mask_value

    def forward(
        self,
        x: Tensor,
        key_padding_mask: Tensor | None = None,
        tap: Tap = NO_TAP,
        position_bias: Tensor | None = None,
        distances: Tensor | None = None,
    ) -> Tensor:
        """Let every token gather from every token that is not hidden."""
        x = tap("input", x)
        q = tap("q", self.split(self.w_q(x)))  # [B, H, n, d_head]
        k = tap("k", self.split(self.w_k(x)))  # [B, H, n, d_head]
        v = tap("v", self.split(self.w_v(x)))  # [B, H, n, d_head]
        if self.rotary is not None:
            q, k = self.rotary(q, k, tap)
        scores = tap("scores", q @ k.mT)  # [B, H, n, n]
        if distances is not None:
            scores = self.disentangled(q, k, scores, distances, tap)
        scaled = tap("scaled", scores / math.sqrt(self.score_size))
        if position_bias is not None:
            scaled = tap("biased", scaled + tap("position_bias", position_bias.expand_as(scaled)))
        if self.window is not None:
            too_far = outside(x.shape[1], self.window, x.device)  # [n, n]
            scaled = tap("windowed", scaled.masked_fill(too_far, self.mask_value))
        if key_padding_mask is not None:
            scaled = scaled.masked_fill(key_padding_mask, self.mask_value)
        masked = tap("masked", scaled)
        weights = tap("weights", masked.softmax(-1))
        heads = tap("heads", weights @ v)  # [B, H, n, d_head]
        concat = tap("concat", heads.transpose(1, 2).flatten(2))  # [B, n, d_model]
        return tap("output", self.w_o(concat))

    def disentangled(self, q: Tensor, k: Tensor, scores: Tensor, distances: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Add to the scores what queries, and what keys, make of the distance between the two."""
        batch, heads, n, _ = q.shape
        apart = query_minus_key(n).to(q.device).expand(batch, heads, n, n)
        if "c2p" in self.distance_parts:
            w_k = self.w_k if self.w_k_distance is None else self.w_k_distance
            k_distance = tap("k_distance", self.split(w_k(distances)))  # [B, H, 2n - 1, d_head]
            scores = scores + tap("c2p", (q @ k_distance.mT).gather(-1, apart))  # [B, H, n, n]
        if "p2c" in self.distance_parts:
            w_q = self.w_q if self.w_q_distance is None else self.w_q_distance
            q_distance = tap("q_distance", self.split(w_q(distances)))  # [B, H, 2n - 1, d_head]
            scores = scores + tap("p2c", (k @ q_distance.mT).gather(-1, apart.mT).mT)  # [B, H, n, n]
        return tap("total", scores)

    def split(self, x: Tensor) -> Tensor:
        """[B, n, d_model] -> [B, H, n, d_head]: head h takes columns h * d_head to (h + 1) * d_head."""
        return x.view(*x.shape[:-1], self.n_heads, self.d_head).transpose(1, 2)

    @property
    def w_o_by_head(self) -> Tensor:
        """The rows of W_O that meet each head, [H, d_head, d_model]: Z W_O = sum_h Z_h W_O^h (paper, section 3.2.2)."""
        return self.w_o.weight.T.view(self.n_heads, self.d_head, -1)
