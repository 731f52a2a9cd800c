"""Lab two norms: LayerNorm as published and the tutorial variant, on the same numbers (Ba et al. 2016)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch

from encoder.experiments.common import at_least, normal, some
from encoder.model.config import LIMITS
from encoder.model.normalization import LayerNorm, StdNorm
from encoder.support.errors import EncoderError

D_MODELS = (8, 16, 32, 64, 128, 256, 512, 1024)


class NormPair(NamedTuple):
    """How far the outputs of the two formulas are apart at one d_model.

    `largest` and `mean` are of |LayerNorm - StdNorm| over all numbers. `ratio` is the length of LayerNorm's output over
    that of StdNorm's; `predicted` is sqrt(d / (d - 1)), what dividing by d instead of d - 1 makes of it.
    """

    d_model: int
    largest: float
    mean: float
    ratio: float
    predicted: float


@torch.inference_mode()
def norms(
    d_models: Sequence[int] = D_MODELS, *, samples: int = 64, seed: int = 0, eps: float = 1e-5
) -> tuple[NormPair, ...]:
    """Both formulas on the same standard normal vectors, with gamma 1 and beta 0.

    LayerNorm divides by sqrt(sum of squares / d + eps), StdNorm by sqrt(sum of squares / (d - 1)) + eps.

    Raises:
        EncoderError: no width, or a width, number of samples or eps outside its range.
    """
    at_least(1, samples=samples)
    some("d_models", d_models, *LIMITS["d_model"])
    if not 0 <= eps < 1:
        raise EncoderError(f"eps is {eps!r}; it must be a number from 0 to below 1")
    found = []
    for d in d_models:
        x = normal(samples, d, seed=seed)
        layer_norm, std_norm = LayerNorm(d, eps)(x), StdNorm(d, eps)(x)
        apart = (layer_norm - std_norm).abs()
        ratio = layer_norm.norm() / std_norm.norm()
        found.append(NormPair(d, float(apart.max()), float(apart.mean()), float(ratio), math.sqrt(d / (d - 1))))
    return tuple(found)
