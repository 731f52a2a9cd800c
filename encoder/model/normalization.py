"""Layer normalization: each token's vector to mean 0 and variance 1, then scaled and shifted (paper, section 3.1)."""

import torch
from torch import Tensor, nn

from encoder.model.tap import NO_TAP, Tap


class LayerNorm(nn.Module):
    """output = (x - mean) / sqrt(variance + eps) * gamma + beta, with the biased variance (Ba et al. 2016).

    Shapes: x [..., d]; mean and variance [...]; normalized and output [..., d]. gamma is `weight`, beta is `bias`.
    """

    correction = 0

    def __init__(self, d: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d))
        self.eps = eps

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Normalize over the last dimension."""
        mean = tap("mean", x.mean(-1))
        centred = x - mean[..., None]
        variance = tap("variance", centred.square().sum(-1) / (x.shape[-1] - self.correction))
        normalized = tap("normalized", centred / self.spread(variance)[..., None])
        return tap("output", torch.addcmul(self.bias, normalized, self.weight))

    def spread(self, variance: Tensor) -> Tensor:
        """What the centred vector is divided by."""
        return (variance + self.eps).sqrt()


class StdNorm(LayerNorm):
    """output = (x - mean) / (std + eps) * gamma + beta, with the unbiased standard deviation: a tutorial variant."""

    correction = 1

    def spread(self, variance: Tensor) -> Tensor:
        """What the centred vector is divided by: eps stands outside the root."""
        return variance.sqrt() + self.eps


NORMS: dict[str, type[LayerNorm]] = {"layer_norm": LayerNorm, "std_norm": StdNorm}
