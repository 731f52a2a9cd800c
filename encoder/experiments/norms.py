"""Labs on norms: LayerNorm and the variant of tutorials (Ba et al. 2016); after each sum, or before each sublayer.

Paper, section 3.1, against Xiong et al. 2020. The weights were trained for one of the two orders, or for none: the
other one shows what the order does to the numbers, and not what a model trained with it would do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.build import on_meta
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.common import at_least, normal, some
from encoder.metrics import SUBLAYERS, cosine, length, norm_sides, stream
from encoder.model.config import LIMITS
from encoder.model.encoder import Encoder
from encoder.model.normalization import LayerNorm, StdNorm
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

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
    d_models: Sequence[int] = D_MODELS, *, samples: int = 64, seed: int = 0, eps: float = 1e-5, deviation: float = 1.0
) -> tuple[NormPair, ...]:
    """Both formulas on the same normal vectors of this standard deviation, with gamma 1 and beta 0.

    LayerNorm divides by sqrt(sum of squares / d + eps), StdNorm by sqrt(sum of squares / (d - 1)) + eps.

    Raises:
        EncoderError: no width, or a width, number of samples or eps outside its range.
    """
    at_least(1, samples=samples)
    some("d_models", d_models, *LIMITS["d_model"])
    if not 0 <= eps < 1:
        raise EncoderError(f"eps is {eps!r}; it must be a number from 0 to below 1")
    pairs = []
    for d in d_models:
        x = deviation * normal(samples, d, seed=seed)
        layer_norm, std_norm = LayerNorm(d, eps)(x), StdNorm(d, eps)(x)
        apart = (layer_norm - std_norm).abs()
        ratio = layer_norm.norm() / std_norm.norm()
        pairs.append(NormPair(d, float(apart.max()), float(apart.mean()), float(ratio), math.sqrt(d / (d - 1))))
    return tuple(pairs)


Sides = dict[str, list[dict[str, Tensor]]]


@dataclass(frozen=True)
class NormOrder:
    """One sentence through the same weights in both orders; `own` is the order of the model itself.

    The lengths of each token's vector and the cosine between the two orders are [n_layers + 1, n], before the first
    layer and after each one. The sides are what `norm_sides` gives of each layer, by sublayer.
    """

    own: str
    post_length: Tensor
    pre_length: Tensor
    alike: Tensor
    post_sides: Sides
    pre_sides: Sides


def norm_order(encoder: TextEncoder, text: Text) -> NormOrder:
    """Run a sentence as the model is, and again with the norms in the other place; nothing is masked or changed.

    Raises:
        EncoderError: layer 0 has no first norm, so that there is none to put in another place.
    """
    if encoder.config.no_first_norm:
        raise EncoderError("layer 0 of this model has no norm before attention, so its norms have no other place")
    ours, theirs = (
        encoder.trace(text),
        TextEncoder(turned(encoder.model), encoder.tokenizer, encoder.source).trace(text),
    )
    post, pre = (theirs, ours) if encoder.config.norm_first else (ours, theirs)
    a, b = stream(post), stream(pre)
    own = "pre-norm" if encoder.config.norm_first else "post-norm"
    return NormOrder(own, length(a), length(b), cosine(a, b), sides(post), sides(pre))


def sides(trace: Trace) -> Sides:
    """What goes into every norm, and what comes out."""
    layers = range(trace.config.n_layers)
    return {part: [norm_sides(trace, layer, part) for layer in layers] for part in SUBLAYERS}


def turned(model: Encoder) -> Encoder:
    """The same parameters, not copied, in an encoder whose norms stand in the other place."""
    other = on_meta(replace(model.config, norm_first=not model.config.norm_first))
    other.load_state_dict(dict(model.named_parameters()), assign=True, strict=False)
    return other.eval().requires_grad_(False)
