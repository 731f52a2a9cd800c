"""Logistic regression, the smallest probe: what can be told of a vector by one linear map and softmax."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from encoder.support.errors import EncoderError

STRENGTH = 0.01  # of the fit against the size of the weights: scikit-learn's C
STEPS, NEAR = 500, 1e-3  # of the search, and the gradient at which it ends


@dataclass(frozen=True)
class Regression:
    """A fitted map: `mean` and `scale` [d] make numbers alike in size, then come `weight` [k, d] and `bias` [k]."""

    mean: Tensor
    scale: Tensor
    weight: Tensor
    bias: Tensor

    def shares(self, x: Tensor) -> Tensor:
        """The probability of each class: x [.., d] -> [.., k], in float64."""
        return functional.linear((x.double() - self.mean) / self.scale, self.weight, self.bias).softmax(-1)


def fit(x: Tensor, labels: Tensor, classes: int, strength: float = STRENGTH, near: float = NEAR) -> Regression:
    """The map that makes the labels likeliest, with a penalty on its weights.

    What is smallest is strength * sum of -ln p(label) + |weight|² / 2, as in scikit-learn, over vectors that were moved
    to mean 0 and deviation 1. It has one minimum, so that any good search finds the same.

    Args:
        x: vectors [samples, d].
        labels: the class of each [samples], from 0.
        classes: how many there are.
        strength: how much the labels count.
        near: no weight and bias has a larger gradient at the end; of the weights no one is then further off than all
            these together.

    Raises:
        EncoderError: not as many labels as vectors, or none.
    """
    if len(x) != len(labels) or not len(x):
        raise EncoderError(f"{len(x)} vectors and {len(labels)} labels; a probe takes one or more, as many of each")
    with torch.inference_mode(False), torch.enable_grad():
        x = x.double().clone()
        mean, scale = x.mean(0), x.std(0, correction=0).clamp_min(1e-12)
        x, labels = (x - mean) / scale, labels.clone()
        # The weights are sums of samples, so that fewer samples than dimensions need no more numbers than samples.
        few = len(x) < x.shape[1]
        basis = torch.linalg.svd(x, full_matrices=False)[2] if few else torch.eye(x.shape[1], dtype=torch.float64)
        samples = x @ basis.T if few else x
        weight = torch.zeros(classes, len(basis), dtype=torch.float64, requires_grad=True)
        bias = torch.zeros(classes, dtype=torch.float64, requires_grad=True)
        search = torch.optim.LBFGS(
            [weight, bias], max_iter=STEPS, tolerance_grad=near, tolerance_change=0, line_search_fn="strong_wolfe"
        )

        def loss() -> Tensor:
            search.zero_grad()
            wrong = functional.cross_entropy(functional.linear(samples, weight, bias), labels, reduction="sum")
            value = strength * wrong + weight.square().sum() / 2
            value.backward()  # type: ignore[no-untyped-call]
            return value

        search.step(loss)  # type: ignore[no-untyped-call]
        return Regression(mean, scale, (weight @ basis).detach(), bias.detach())
