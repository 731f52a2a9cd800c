"""Layer normalization: each token's vector to mean 0 and variance 1, then scaled and shifted (paper, section 3.1)."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from encoder.model.config import EncoderConfig
from encoder.model.linear import without_bias
from encoder.model.tap import NO_TAP, Tap

Recorded = Callable[[str], Tensor]  # what a run recorded of a norm's step, by the step's last name


class LayerNorm(nn.Module):
    """output = (x - mean) / sqrt(variance + eps) * gamma + beta, with the biased variance (Ba et al. 2016).

    Shapes: x [..., d]; mean and variance [...]; normalized and output [..., d]. gamma is `weight`, beta is `bias`.
    Without a bias, beta is zero and no parameter.
    """

    correction = 0

    def __init__(self, d: int, eps: float, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d))
        self.eps = eps
        if not bias:
            without_bias(self, d)

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

    def of_part(self, part: Tensor, recorded: Recorded) -> Tensor:
        """What becomes of a part of x [..., d] with the spread that a run recorded of x; beta is left out.

        The parts of x, each taken through by this, add up to output - beta.
        """
        scale = self.weight.to(part.dtype) / self.spread(recorded("variance"))[..., None]
        return (part - part.mean(-1, keepdim=True)) * scale


class StdNorm(LayerNorm):
    """output = (x - mean) / (std + eps) * gamma + beta, with the unbiased standard deviation: a tutorial variant."""

    correction = 1

    def spread(self, variance: Tensor) -> Tensor:
        """What the centred vector is divided by: eps stands outside the root."""
        return variance.sqrt() + self.eps


class RMSNorm(LayerNorm):
    """output = x / sqrt(mean square + eps) * gamma + beta: no mean is taken away (Zhang and Sennrich 2019)."""

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Normalize over the last dimension."""
        mean_square = tap("mean_square", x.square().mean(-1))
        normalized = tap("normalized", x / self.spread(mean_square)[..., None])
        return tap("output", torch.addcmul(self.bias, normalized, self.weight))

    def of_part(self, part: Tensor, recorded: Recorded) -> Tensor:
        """What becomes of a part of x with the mean square that a run recorded of x; beta is left out."""
        return part * (self.weight.to(part.dtype) / self.spread(recorded("mean_square"))[..., None])


class NoNorm(LayerNorm):
    """output = x: the place of a norm that a model leaves out, without parameters."""

    def __init__(self, d: int) -> None:
        super().__init__(d, 0.0, bias=False)
        del self.weight
        self.register_buffer("weight", torch.ones(d, device="cpu"), persistent=False)

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Hand on what came in."""
        return tap("output", x)

    def of_part(self, part: Tensor, recorded: Recorded) -> Tensor:
        """A part of x as it is."""
        return part


NORMS: dict[str, type[LayerNorm]] = {"layer_norm": LayerNorm, "std_norm": StdNorm, "rms_norm": RMSNorm}


def norm_of(config: EncoderConfig, d: int) -> LayerNorm:
    """The norm of a model of that configuration, for vectors of d numbers."""
    return NORMS[config.norm](d, config.norm_eps, config.norm_bias)
