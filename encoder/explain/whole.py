"""A whole encoder as one page of code, in the order in which tutorials build one; it needs torch and nothing else.

Its weights have the names that they have here, without the parts that they stand in.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn


def waves(places: int, width: int) -> Tensor:
    """Return sines in the even columns and cosines in the odd ones: [places, width]."""
    slowness = torch.exp(torch.arange(0, width, 2).double() * (math.log(10_000) / width))
    angles = torch.arange(places).double()[:, None] / slowness
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width].float()


class DeviationNorm(nn.Module):
    """(x - mean) / (std + eps) * gamma + beta, with the standard deviation as torch computes it."""

    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalize over the last dimension."""
        return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) * self.weight + self.bias


class Layer(nn.Module):
    """Attention, add, norm; feed-forward, add, norm: x [B, n, width] -> [B, n, width]."""

    def __init__(self, width: int, heads: int, inner: int, norm: Callable[[int], nn.Module], p: float = 0.1) -> None:
        super().__init__()
        self.heads = heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(width, width) for _ in range(4))
        self.w_1, self.w_2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = norm(width), norm(width)
        self.dropout = nn.Dropout(p)

    def attention(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return what all heads hand over; keys where the mask is 0 are hidden."""
        q, k, v = (w(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for w in (self.w_q, self.w_k, self.w_v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # [B, heads, n, n]
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        together: Tensor = self.w_o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return together

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return what both sublayers make of x."""
        x = self.norm1(x + self.dropout(self.attention(x, mask)))
        x = self.norm2(x + self.dropout(self.w_2(self.dropout(self.w_1(x).relu()))))
        return x


class WholeEncoder(nn.Module):
    """Embedding, positions, a stack of layers and a last norm: ids [B, n] -> [B, n, width]."""

    def __init__(
        self,
        vocabulary: int,
        width: int = 512,
        heads: int = 8,
        layers: int = 6,
        inner: int = 2048,
        places: int = 5000,
        norm: Callable[[int], nn.Module] = DeviationNorm,
        last_norm: bool = True,
        p: float = 0.1,
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.register_buffer("places", waves(places, width), persistent=False)
        self.layers = nn.ModuleList(Layer(width, heads, inner, norm, p) for _ in range(layers))
        self.final_norm = norm(width) if last_norm else nn.Identity()
        self.dropout = nn.Dropout(p)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return a vector for each id."""
        x = self.tokens(ids) * math.sqrt(self.tokens.embedding_dim)
        x = self.dropout(x + self.get_buffer("places")[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        output: Tensor = self.final_norm(x)
        return output
