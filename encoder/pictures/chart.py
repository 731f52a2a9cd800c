"""What is drawn of a picture: its numbers, how they look, and the small maps of pairs of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from encoder.pictures.numbers import Numbers
from encoder.support.formatting import short
from encoder.support.theme import Kind, limits

FAR = (2, 4)  # times the usual, from where a largest number does not end the colours; of shares


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


def maps_of(chart: Chart, kind: str) -> list[SmallMap]:
    """The maps of a picture: one, or one for each place of all dimensions but the last two."""
    look = chart.look
    if kind == "maps":
        return small_maps(chart)
    values = np.asarray(chart.numbers.array, dtype=np.float32)
    blank = look.get("blank")
    largest = look.get("largest") or largest_of(values, blank)
    if kind == "tiles":
        return [
            SmallMap(name, name, each, chart.values, largest) for name, each in zip(chart.names(0), values, strict=True)
        ]
    return [SmallMap("", "", values, chart.values, largest, blank)]


def scale_of(small: SmallMap, chart: Chart) -> tuple[Kind, float, float]:
    """How a map is coloured and the ends of its colours, as on the screen."""
    low, high = small.ends
    if chart.look.get("screen") and not chart.look.get("largest"):
        low, high = limits(
            "signed" if small.kind == "signed" else "positive",
            max(chart.look.get("least", 0.0), end_on_screen(small.coloured, small.kind)),
        )
        return ("positive" if small.kind == "share" else small.kind), low, high
    least = float(np.min(small.coloured, initial=high, where=np.isfinite(small.coloured)))
    return ("positive", least, high) if chart.look.get("fit") and 0 < least < high else (small.kind, low, high)


def end_on_screen(values: np.ndarray, kind: Kind) -> float:
    """Where the colours of a map end in the browser: at the largest, unless a few are far above all others."""
    sizes = np.abs(np.where(np.isfinite(values), values, np.nan))
    peaks, share = (np.nanmax(sizes, -1), 0.9) if kind == "share" else (sizes, 0.99)
    usual = np.sort(peaks[np.isfinite(peaks)])
    if not usual.size:
        return 1.0
    end = float(usual[int(share * (usual.size - 1))])
    return end if 0 < FAR[kind == "share"] * end < usual[-1] else float(usual[-1]) or 1.0


def ends_said(chart: Chart, kind: str) -> str:
    """The ends of the colours of a picture, said once where they are the same for all maps; empty where it has none."""
    if kind == "words":
        low, high = limits(chart.values, largest_of(chart.numbers.array))
        return f"{short(low)} to {short(high)}"
    if kind not in ("matrix", "tiles", "maps"):
        return ""
    if "scale" in chart.look:
        return str(chart.look["scale"])
    maps = maps_of(chart, kind)
    words = [f"{short(low)} to {short(high)}" for _, low, high in (scale_of(small, chart) for small in maps)]
    if len({*words}) == 1:
        return words[0]
    return ", ".join(f"{small.title.lower()} {text}" for small, text in zip(maps, words, strict=True))
