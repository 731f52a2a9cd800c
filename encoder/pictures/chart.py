"""What is drawn of a picture: its numbers, how they look, and the small maps of pairs of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from encoder.pictures.numbers import Numbers
from encoder.support.formatting import short
from encoder.support.theme import Kind, limits


@dataclass(frozen=True, eq=False)
class Chart:
    """What is drawn: numbers, the rows first.

    Attributes:
        numbers: with their names.
        values: how they are coloured.
        unit: what they are.
        at: the positions of the tokens that are drawn, where they are some of many.
        look: what else the function that draws them is told.
    """

    numbers: Numbers
    values: Kind
    unit: str
    at: Sequence[int] | None = None
    look: Mapping[str, Any] = field(default_factory=dict)

    def names(self, axis: int) -> list[str]:
        """A name for each place along an axis; places without one have their number."""
        along = self.numbers.along(self.numbers.dims[axis])
        return along if isinstance(along, list) else [str(i) for i in range(self.numbers.array.shape[axis])]

    @property
    def series(self) -> dict[str, np.ndarray]:
        """The numbers of each series by its name; one without a name is called by the unit."""
        if len(self.numbers.dims) == 1:
            return {self.unit: self.numbers.array}
        return dict(zip(self.names(0), self.numbers.array, strict=True))


@dataclass(frozen=True, eq=False)
class SmallMap:
    """One map: a title for the eye, a label for the screen reader, values [n, n] and the ends of its scale.

    `blank` is the number whose cells have no colour, where there is one.
    """

    title: str
    label: str
    values: np.ndarray
    kind: Kind
    largest: float
    blank: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The values at both ends of the colour scale."""
        return limits(self.kind, self.largest)

    @property
    def coloured(self) -> np.ndarray:
        """The values, minus infinity where they have no colour."""
        return unblanked(self.values, self.blank)


def unblanked(values: np.ndarray, blank: float | None) -> np.ndarray:
    """The values with minus infinity where they are that number."""
    return values if blank is None else np.where(values == np.float32(blank), np.float32(-np.inf), values)


def largest_of(values: np.ndarray, blank: float | None = None) -> float:
    """The largest size of a number that has a colour."""
    sizes = np.abs(unblanked(values, blank))
    return float(sizes.max(initial=0.0, where=np.isfinite(sizes)))


def small_maps(chart: Chart) -> list[SmallMap]:
    """The maps of a picture, in order."""
    numbers, look = chart.numbers, chart.look
    values = np.asarray(numbers.array, dtype=np.float32)
    values = values.reshape(-1, *values.shape[-2:])
    places = product(*(chart.names(axis) for axis in range(len(numbers.dims) - 2)))
    titles = look.get("titles") or [", ".join(place) for place in places]
    kinds, blank = listed(look.get("kinds", chart.values), len(values)), look.get("blank")
    shares = all(kind == "share" for kind in kinds)
    if look.get("apart"):
        largest: Any = [largest_of(each, blank) for each in values]
    else:
        largest = look["largest"] if "largest" in look else 1.0 if shares else largest_of(values, blank)
    each = zip(titles, look.get("labels", titles), values, kinds, listed(largest, len(values)), strict=True)
    return [SmallMap(*parts, blank=blank) for parts in each]


def listed(given: Any, count: int) -> Sequence[Any]:
    """Something for each map, where one is given for all."""
    return given if isinstance(given, list | tuple) else [given] * count


def ends(maps: Sequence[SmallMap]) -> str:
    """The ends of every map's scale, said once where they are the same for all."""
    words = {small.ends: f"{short(small.ends[0])} to {short(small.ends[1])}" for small in maps}
    if len(words) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{small.title.lower()} {words[small.ends]}" for small in maps)


def scales(maps: Sequence[SmallMap]) -> str:
    """The ends of every map's scale as a sentence."""
    if len({small.ends for small in maps}) == 1:
        return f"One colour scale for all, from {ends(maps)}."
    return f"Colour scales: {ends(maps)}."
