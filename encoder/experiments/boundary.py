"""Lab layer collapse: what two linear layers can tell apart, and what they can with an activation between them."""

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional

from encoder.experiments.common import normal

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
        weights = [nn.Parameter(one.clone()) for one in (first, torch.zeros(HIDDEN), second, torch.zeros(1))]
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
