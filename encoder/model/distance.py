"""What depends on how far apart two tokens stand: turns, learned numbers and vectors for distances, local windows."""

import math
from functools import lru_cache

import torch
from torch import Tensor, nn

from encoder.model.config import EncoderConfig
from encoder.model.normalization import norm_of
from encoder.model.tap import NO_TAP, Tap

FARTHEST = 128  # tokens apart: all that are farther share the last bucket


def rotary_frequencies(d_head: int, theta: float, divisor: float = 1.0) -> Tensor:
    """theta^(-2i/d_head) / divisor for each pair of numbers of a head, in radians for each token.

    [d_head / 2] in float32.
    """
    even = torch.arange(0, d_head, 2, dtype=torch.float32, device="cpu")
    return 1.0 / theta ** (even / d_head) / divisor


@lru_cache(maxsize=8)
def rotary_tables(n: int, d_head: int, theta: float, divisor: float = 1.0) -> tuple[Tensor, Tensor]:
    """Cosine and sine of position times frequency, two times [n, d_head] in float32.

    Columns i and i + d_head / 2 are those of pair i.
    """
    position = torch.arange(n, dtype=torch.float32, device="cpu")
    angle = position[:, None] * rotary_frequencies(d_head, theta, divisor)  # [n, d_head / 2]
    both = torch.cat((angle, angle), -1)  # [n, d_head]
    return both.cos(), both.sin()


class Rotary(nn.Module):
    """Turns queries and keys by their place, so that of their places only the distance counts (Su et al. 2021).

    x' = x * cos + (-second half of x, first half of x) * sin: number i and number i + d_head / 2 of a head are the two
    sides of one angle. Shapes: q and k [B, H, n, d_head]; cos and sin [B, n, d_head].
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, config: EncoderConfig, layer: int) -> None:
        super().__init__()
        cos, sin = rotary_tables(config.max_positions, config.d_head, *config.turns_of(layer))
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, q: Tensor, k: Tensor, tap: Tap = NO_TAP) -> tuple[Tensor, Tensor]:
        """Queries and keys, turned."""
        batch, _, n, d_head = q.shape
        cos = tap("cos", self.cos[:n].expand(batch, n, d_head))
        sin = tap("sin", self.sin[:n].expand(batch, n, d_head))
        return tap("q_rotated", turned(q, cos, sin)), tap("k_rotated", turned(k, cos, sin))


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Every pair of numbers of x [B, H, n, d_head] turned by its angle."""
    first, second = x.chunk(2, -1)
    return x * cos[:, None] + torch.cat((-second, first), -1) * sin[:, None]


def distance_buckets(n: int, buckets: int) -> Tensor:
    """Which row of the table belongs to a query and a key: [n, n].

    Half of the buckets are for keys before the query, the other half for those after it. In each half the first half is
    for one distance each, the rest for distances in steps that grow, up to FARTHEST (Raffel et al. 2020).
    """
    place = torch.arange(n)
    apart = place - place[:, None]  # key - query
    far, half, near = apart.abs(), buckets // 2, buckets // 4
    grown = (torch.log(far.float().clamp_min(1) / near) / math.log(FARTHEST / near) * (half - near)).long()
    return (apart > 0) * half + torch.where(far < near, far, (near + grown).clamp_max(half - 1))


class PositionBias(nn.Embedding):
    """A learned number for every bucket of distances and every head, added to the scores of all layers.

    Shapes: weight [buckets, H]; a sentence of n tokens -> [1, H, n, n].
    """

    def forward(self, n: int) -> Tensor:  # type: ignore[override]  # a length, not ids
        """The number of every pair."""
        return self.weight[distance_buckets(n, len(self.weight)).to(self.weight.device)].permute(2, 0, 1)[None]


def alibi_slopes(n_heads: int) -> Tensor:
    """By how much the scores of each head fall with every token of distance: [H] in float32 (Press et al. 2022).

    2^(-8/H), 2^(-16/H) and so on to 2^-8. Of a number of heads that is no power of two, the next lower power gives the
    first ones, and every second of its double the others.
    """
    lower = 2 ** (n_heads.bit_length() - 1)
    slopes = [2 ** (-8 * (h + 1) / lower) for h in range(lower)]
    slopes += [2 ** (-8 * (h + 1) / (2 * lower)) for h in range(0, 2 * lower, 2)]
    return torch.tensor(slopes[:n_heads], dtype=torch.float32, device="cpu")


class Alibi(nn.Module):
    """A slope of each head times the distance of two tokens, taken from the scores of all layers; nothing is learned.

    Shapes: slopes [H]; a sentence of n tokens -> [1, H, n, n].
    """

    slopes: Tensor

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(n_heads), persistent=False)

    def forward(self, n: int) -> Tensor:
        """The number of every pair."""
        place = torch.arange(n, device=self.slopes.device)
        return (self.slopes[:, None, None] * -(place - place[:, None]).abs())[None]


def position_bias(config: EncoderConfig) -> PositionBias | Alibi | None:
    """What a model adds to its scores for the distance of two tokens; None where it adds nothing."""
    if config.positions == "alibi":
        return Alibi(config.n_heads)
    return PositionBias(config.position_buckets, config.n_heads) if config.position_buckets else None


@lru_cache(maxsize=8)
def distance_vectors(n: int, span: int, limit: int | None) -> Tensor:
    """Which row of the table of distances belongs to query minus key, from 1 - n to n - 1: [2 n - 1].

    Row `span` is that of distance 0. With a limit, distances up to span / 2 have a row each; the rows after that stand
    for more and more distances, and the last begins at limit - 1 (He et al. 2021).
    """
    apart = torch.arange(1 - n, n, device="cpu")
    if limit is not None:
        near = span // 2
        far = apart.abs().clamp_min(near)
        grown = torch.log(far / near) / torch.log(torch.tensor((limit - 1) / near)) * (near - 1)
        apart = torch.where(apart.abs() <= near, apart, ((grown.ceil() + near) * apart.sign()).long())
    return (apart + span).clamp(0, 2 * span - 1)


def query_minus_key(n: int) -> Tensor:
    """Which of the 2 n - 1 distances lies between a query and a key: [n, n]."""
    place = torch.arange(n)
    return place[:, None] - place + n - 1


class Distances(nn.Module):
    """A learned vector for every distance between a query and a key, normalized where the model does that.

    All layers have the same. Shapes: table [2 span, d_model]; for x [B, n, d_model] -> [B, 2 n - 1, d_model], from
    the key n - 1 places after the query to the key n - 1 places before it.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.table = nn.Embedding(config.distance_rows, config.d_model)
        self.norm = norm_of(config, config.d_model) if config.distance_norm else None
        self.span = config.distance_span
        self.limit = config.distance_limit

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """The vectors of all distances of a sentence."""
        rows = distance_vectors(x.shape[1], self.span, self.limit).to(x.device)
        vectors = self.table.weight[rows].expand(len(x), -1, -1)  # [B, 2n - 1, d_model]
        if self.norm is None:
            return tap("output", vectors)
        normed: Tensor = self.norm(tap("table", vectors), tap)
        return normed


def outside(n: int, window: int, device: torch.device) -> Tensor:
    """True where a key stands farther than the window from the query: [n, n]."""
    place = torch.arange(n, device=device)
    return (place - place[:, None]).abs() > window
