"""Lab waves: what the published table of positions promises, read off the table itself (paper, section 3.5).

Two neighbouring columns, sine and cosine, are read as one complex number cos + i sin: a point on a circle.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.experiments.common import at_least
from encoder.support.errors import EncoderError

STEADY = 1e-3  # how far the turned pairs may miss where a table is one of waves


@dataclass(frozen=True)
class Turn:
    """The best rotation from position p to p + k, one angle for each pair of columns.

    `angles` [d_model / 2] are in radians. `missed` [d_model / 2] is the largest distance, over all p, between a pair at
    p + k and the turned pair at p: rounding, about 1e-7, where one rotation serves every p.
    """

    k: int
    angles: Tensor
    missed: Tensor

    @property
    def largest(self) -> float:
        """The largest distance over all pairs."""
        return float(self.missed.max())


@dataclass(frozen=True)
class Profile:
    """How alike position vectors are by how far apart they stand; all [n], entry k for a distance of k.

    `mean` is the mean dot product PE(p) . PE(p + k) over all p; `spread` the difference between the largest and the
    smallest: 0 where only the distance counts.
    """

    mean: Tensor
    spread: Tensor


def turn(table: Tensor, k: int = 1) -> Turn:
    """Fit one rotation for each pair of columns of a table of positions [n, d_model], and see how far it misses.

    For sines and cosines sin(w (p + k)) = sin(wp) cos(wk) + cos(wp) sin(wk): a rotation by w k, whatever p is. With
    k = 1 the angles are the frequencies, in radians for each position.

    Raises:
        EncoderError: an odd d_model, or k outside 1 to n - 1.
    """
    points = on_circles(table)
    at_least(1, k=k)
    if k >= len(points):
        raise EncoderError(f"k is {k}; with {len(points)} positions it must be from 1 to {len(points) - 1}")
    before, after = points[:-k], points[k:]
    angles = (after * before.conj()).sum(0).angle()
    missed = (after - before * torch.polar(torch.ones_like(angles), angles)).abs().amax(0)
    return Turn(k, angles, missed)


def profile(table: Tensor) -> Profile:
    """Dot products of all positions with all others, sorted by how far apart they stand."""
    products = table.double() @ table.double().T
    rows = [products.diagonal(k) for k in range(len(table))]
    return Profile(torch.stack([row.mean() for row in rows]), torch.stack([row.max() - row.min() for row in rows]))


def wavelengths(table: Tensor) -> Tensor:
    """After how many positions each pair of columns [n, d_model / 2] comes round: 2 pi over its angle for one step.

    In the paper from 2 pi to 10000 * 2 pi. nan for a pair that no one rotation moves from position to position, as in a
    learned table.
    """
    found = turn(table)
    return torch.where(found.missed < STEADY, 2 * torch.pi / found.angles.abs(), torch.nan)


def on_circles(table: Tensor) -> Tensor:
    """Every pair of columns as a complex number: [n, d_model] -> [n, d_model / 2]."""
    if table.shape[1] % 2:
        raise EncoderError(f"d_model is {table.shape[1]}; columns come in pairs and need an even d_model")
    sine, cosine = table.double().view(len(table), -1, 2).unbind(-1)
    return torch.complex(cosine, sine)
