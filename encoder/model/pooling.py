"""From the vectors of a sentence's tokens to one vector for the sentence (Reimers and Gurevych 2019, section 3)."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from encoder.model.config import EncoderConfig
from encoder.model.tap import NO_TAP, Tap

LEAST = 1e-12  # a vector is divided by no less than this


def mean(x: Tensor, counts: Tensor) -> Tensor:
    """The mean over the tokens that count."""
    return (x * counts).sum(1, keepdim=True) / counts.sum(1, keepdim=True)


def between(counts: Tensor) -> Tensor:
    """Of tokens that count [B, n, 1] those between the first and the last of them; all where there is none."""
    place, number = counts.cumsum(1), counts.sum(1, keepdim=True)
    return torch.where(number > 2, counts * (place > 1) * (place < number), counts)


def mean_sqrt_len(x: Tensor, counts: Tensor) -> Tensor:
    """Their sum over the square root of their number: the direction of the mean."""
    return (x * counts).sum(1, keepdim=True) / counts.sum(1, keepdim=True).sqrt()


def cls(x: Tensor, counts: Tensor) -> Tensor:
    """The first of them, which is [CLS] unless that is masked."""
    first = counts.argmax(1, keepdim=True)  # [B, 1, 1]
    return x.gather(1, first.expand(-1, -1, x.shape[-1]))


def largest(x: Tensor, counts: Tensor) -> Tensor:
    """In each dimension the largest number among them."""
    return x.masked_fill(counts == 0, -torch.inf).amax(1, keepdim=True)


POOLINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mean": mean,
    "cls": cls,
    "max": largest,
    "mean_sqrt_len": mean_sqrt_len,
}


class SentencePooling(nn.Module):
    """vector = the mean, the first, the largest or the scaled sum of x over the tokens; / |vector| for unit length.

    Shapes: x [B, n, d_model] -> [B, 1, d_model]; tokens that `key_padding_mask` [B, n] masks do not count.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pool = POOLINGS[str(config.pooling)]
        self.unit_length = config.unit_length

    def forward(self, x: Tensor, key_padding_mask: Tensor | None = None, tap: Tap = NO_TAP) -> Tensor:
        """Make one vector of many."""
        masked = torch.zeros(x.shape[:2], dtype=torch.bool) if key_padding_mask is None else key_padding_mask
        vector = tap("vector", self.pool(x, (~masked)[..., None].to(x.dtype)))  # [B, 1, d_model]
        if not self.unit_length:
            return vector
        return tap("unit", vector / vector.norm(dim=-1, keepdim=True).clamp_min(LEAST))
