"""Lab collapse: two linear layers are one, what keeps them two (section 3.3), and whether attention is linear too."""

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.build import untrained
from encoder.experiments.common import at_least, normal, recorded
from encoder.model.attention import Attention
from encoder.model.config import EncoderConfig
from encoder.model.feed_forward import FeedForward
from encoder.support.errors import EncoderError


@dataclass(frozen=True)
class Collapse:
    """Two layers against the one that they merge into: W' = W_1 W_2 [d_model, d_model], b' = b_1 W_2 + b_2 [d_model].

    `linear` is the largest absolute difference between the merged layer and the two without activation, `bent` that
    with it; `largest` is the largest number in size that the merged layer gives.

    `remainder` is what no single linear layer can reach: the relative error |Y - X W - b| / |Y - mean of Y| of the best
    one for these inputs, with activation; `linear_remainder` without. 0 is a perfect fit, 1 none at all.
    """

    weight: Tensor
    bias: Tensor
    linear: float
    bent: float
    largest: float
    remainder: float
    linear_remainder: float


def collapse(
    d_model: int = 64, d_ff: int = 256, *, samples: int = 2048, activation: str = "relu", seed: int = 0
) -> Collapse:
    """`merged` for a random feed-forward network and standard normal inputs.

    Weights are as in an untrained model; biases, 0 there, are normal with standard deviation 0.1.

    Raises:
        EncoderError: a size outside its range, or fewer samples than 2 (d_model + 1).
    """
    config = EncoderConfig(
        vocab_size=5, d_model=d_model, n_heads=1, n_layers=1, d_ff=d_ff, positions="none", activation=activation
    )
    at_least(2 * (d_model + 1), samples=samples)
    feed_forward = untrained(config, seed).layers[0].feed_forward
    assert isinstance(feed_forward, FeedForward)
    drawn = normal(d_ff + d_model, seed=seed, draw=1) * 0.1
    feed_forward.w_1.bias.copy_(drawn[:d_ff])
    feed_forward.w_2.bias.copy_(drawn[d_ff:])
    return merged(feed_forward, normal(samples, d_model, seed=seed, draw=2))


@torch.inference_mode()
def merged(feed_forward: FeedForward, x: Tensor) -> Collapse:
    """Merge the two linear layers of a feed-forward network into one, and hold that against what they do to x.

    Args:
        feed_forward: a network of any model.
        x: inputs [samples, d_model].

    Raises:
        EncoderError: fewer samples than 2 (d_model + 1): a linear layer with as many free numbers would fit anything.
    """
    samples, d = x.shape
    if samples < 2 * (d + 1):
        raise EncoderError(f"{samples} samples; for d_model {d} the best linear layer needs {2 * (d + 1)} or more")
    weight = feed_forward.w_1.weight.T @ feed_forward.w_2.weight.T
    bias = feed_forward.w_1.bias @ feed_forward.w_2.weight.T + feed_forward.w_2.bias
    one = torch.nn.functional.linear(x, weight.T, bias)
    bent = recorded(feed_forward, x)
    linear = recorded(feed_forward, x, put={"activation": bent["hidden"]})
    return Collapse(
        weight=weight,
        bias=bias,
        linear=float((linear["output"] - one).abs().max()),
        bent=float((bent["output"] - one).abs().max()),
        largest=float(one.abs().max()),
        remainder=remainder(x, bent["output"]),
        linear_remainder=remainder(x, linear["output"]),
    )


def remainder(x: Tensor, y: Tensor) -> float:
    """The relative error of the best linear layer from x to y, by least squares: |Y - X W - b| / |Y - mean of Y|."""
    x, y = (values.double() - values.double().mean(0) for values in (x, y))
    best = torch.linalg.lstsq(x, y).solution
    return float((y - x @ best).norm() / y.norm())


@dataclass(frozen=True)
class Halved:
    """How far a layer's attention is from linear: |f(x / 2) - (f(x) + f(0)) / 2| over |f(x) - f(0)|.

    0 for every linear map with a bias. `held` is the same with the attention weights held at those of x, so that only
    the linear maps are left. `unsoftened` is that without any softmax, the scaled scores in place of the weights: what
    is left then is Q K^T, a product of two maps of x, times a third.
    """

    bent: float
    held: float
    unsoftened: float


@torch.inference_mode()
def halved(attention: Attention, x: Tensor) -> Halved:
    """Hand attention half of its input x [n, d_model], and see whether it does half of what it does."""
    inputs = torch.stack([x, x / 2, torch.zeros_like(x)])
    free = recorded(attention, inputs)
    weights = free["weights"][:1].expand_as(free["weights"])
    held = recorded(attention, inputs, put={"weights": weights})
    unsoftened = recorded(attention, inputs, put={"weights": free["scaled"]})
    return Halved(*(from_linear(run["output"]) for run in (free, held, unsoftened)))


def from_linear(outputs: Tensor) -> float:
    """The share by which the output for x / 2 misses the middle of those for x and 0: outputs [3, n, d_model]."""
    whole, half, nothing = outputs.double()
    return float((half - (whole + nothing) / 2).norm() / (whole - nothing).norm())
