"""Labs on what is linear: two layers are one (section 3.3), what two can tell apart, and one matrix for all heads.

A map of [d_model, d_model] cut in H is H maps of [d_model, d_head] (section 3.2.2); attention itself is not linear.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional

from encoder.checkpoint.build import untrained
from encoder.experiments.common import at_least, normal, recorded
from encoder.metrics.flows import block
from encoder.model.attention import Attention
from encoder.model.config import EncoderConfig
from encoder.model.feed_forward import FeedForward
from encoder.support.errors import EncoderError, integer
from encoder.trace.trace import Trace


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
    merged_output = torch.nn.functional.linear(x, weight.T, bias)
    bent = recorded(feed_forward, x)
    linear = recorded(feed_forward, x, put={"activation": bent["hidden"]})
    return Collapse(
        weight=weight,
        bias=bias,
        linear=float((linear["output"] - merged_output).abs().max()),
        bent=float((bent["output"] - merged_output).abs().max()),
        largest=float(merged_output.abs().max()),
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


SIDE, CENTRE, RADIUS = 21, (0.4, 0.3), 0.7
HIDDEN, STEPS, RATE = 16, 200, 0.05


@dataclass(frozen=True)
class Boundary:
    """Two layers that were trained to tell points inside a circle from those around it.

    `points` [21 * 21, 2] are those of a grid, `inside` [21 * 21] which lie within the circle, `logits` [21, 21] what
    the network says of each, above 0 for inside; its first axis is y, the second x.
    """

    points: Tensor
    inside: Tensor
    logits: Tensor

    @property
    def right(self) -> float:
        """The share of the points that it tells right."""
        return float(((self.logits.ravel() > 0) == self.inside).float().mean())

    @property
    def commonest(self) -> float:
        """The share that one tells right who always says the same."""
        share = float(self.inside.float().mean())
        return max(share, 1 - share)


@lru_cache(maxsize=8)
def boundary(bent: bool, seed: int = 0) -> Boundary:
    """Train two layers, 2 -> 16 -> 1, with ReLU between them where `bent`, else with nothing; the seed pins them."""
    axis = torch.linspace(-1, 1, SIDE)
    points = torch.cartesian_prod(axis, axis).flip(-1)  # [SIDE * SIDE, 2]: x, y
    inside = (points - torch.tensor(CENTRE)).norm(dim=-1) < RADIUS
    first, second = normal(HIDDEN, 2, seed=seed), normal(1, HIDDEN, seed=seed, draw=1) / HIDDEN**0.5
    with torch.inference_mode(False), torch.enable_grad():
        x, wanted = points.clone(), inside.float()
        weights = [nn.Parameter(start.clone()) for start in (first, torch.zeros(HIDDEN), second, torch.zeros(1))]
        optimizer = torch.optim.Adam(weights, RATE)
        for _ in range(STEPS):
            loss = functional.binary_cross_entropy_with_logits(two_layers(x, weights, bent), wanted)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        logits = two_layers(x, weights, bent).detach()
    return Boundary(points, inside, logits.view(SIDE, SIDE))


def two_layers(x: Tensor, weights: list[nn.Parameter], bent: bool) -> Tensor:
    """(x W_1 + b_1) W_2 + b_2, with ReLU after the first where `bent`: [points]."""
    w_1, b_1, w_2, b_2 = weights
    hidden = functional.linear(x, w_1, b_1)
    return functional.linear(hidden.relu() if bent else hidden, w_2, b_2).squeeze(-1)


@dataclass(frozen=True)
class OneMatrix:
    """Queries, keys and values of one layer, made by one matrix and made head by head.

    `name` is "q", "k" or "v"; `apart` [H] is the largest absolute difference of each head's numbers between the two,
    and `size` the largest number among them. `whole` and `cut` are the shapes of the one matrix and of each of the H.
    """

    name: str
    whole: tuple[int, int]
    cut: tuple[int, int]
    apart: Tensor
    size: float


@torch.inference_mode()
def one_matrix(trace: Trace, layer: int) -> tuple[OneMatrix, ...]:
    """Make q, k and v of a layer anew with a matrix for each head, and hold them against those of the one matrix.

    Column c of the one matrix belongs to head c // d_head. The sums are the same numbers, added in whatever order suits
    the size: they agree up to rounding, and to the last bit where the order is the same.

    Raises:
        EncoderError: the trace does not hold its model.
    """
    layer = integer("layer", layer, 0, trace.config.n_layers - 1)
    attention, x = block(trace, layer).attention, trace[f"layers.{layer}.attention.input"]
    heads, width, result = trace.config.n_heads, trace.config.d_head, []
    for name, linear in (("q", attention.w_q), ("k", attention.w_k), ("v", attention.w_v)):
        whole = attention.split(functional.linear(x, linear.weight, linear.bias)[None])[0]  # [H, n, d_head]
        each = linear.weight.view(heads, width, -1), linear.bias.view(heads, width)
        by_head = torch.stack([functional.linear(x, weight, bias) for weight, bias in zip(*each, strict=True)])
        shape = (trace.config.d_model, trace.config.d_model)
        apart = (by_head - whole).abs().amax((1, 2))
        result.append(OneMatrix(name, shape, (trace.config.d_model, width), apart, float(whole.abs().max())))
    return tuple(result)
