"""What printed pictures are drawn with: a plane of paper, how wide letters are on it, its colours and its marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, NullFormatter

from encoder.support.formatting import percent, short, shown, tight
from encoder.support.theme import BACKGROUND, GRID, PAINTS, Kind, Theme, palette

POINT = 25.4 / 72  # mm
LEAST_LETTERS = 5.0  # points: nothing on a sheet is smaller
MOST_OF_NAME = 48  # letters of the name of a series
NARROW = ".,:;'!|ilj()[] "
INKS = PAINTS | {"grid": GRID, "page": BACKGROUND}
# Where a text stands: which of its sides is at its place, from left to right and from above.
SIDES = {
    "middle": ("center", "center"),
    "left": ("left", "center"),
    "right": ("right", "center"),
    "above": ("center", "bottom"),
    "below": ("center", "top"),
    "over": ("left", "bottom"),
    "under": ("left", "top"),
    "right above": ("right", "bottom"),
}


def wide(text: str) -> float:
    """About how wide a text is, over the size of its letters: letters beyond Latin and its kin are taken as squares."""
    return sum(0.32 if c in NARROW else 0.63 if ord(c) < 0x2E80 else 1.0 for c in text)


def whole_percent(share: float) -> str:
    """A share as it stands at a word or bar: in whole percents."""
    return tight(percent(share, 1)) if share else "0 %"


@dataclass(frozen=True, eq=False)
class Plane:
    """Where a picture is drawn: axes that are `wide` mm wide, with letters of so many points. Lengths are in mm."""

    axes: Axes
    wide: float
    letters: float
    theme: Theme

    @property
    def line(self) -> float:
        """How high a line of text is."""
        return 1.25 * self.letters * POINT

    def width(self, names: Sequence[str]) -> float:
        """About how wide the longest of these names is."""
        return max(map(wide, names), default=0.0) * self.letters * POINT

    def ink(self, name: str) -> Any:
        """A colour by its name."""
        return INKS[name][self.theme]

    def of_sign(self, value: float) -> Any:
        """Blue from zero on, and warm below it."""
        return self.ink("second" if value < 0 else "accent")

    def colours(self, kind: Kind) -> ListedColormap:
        """The palette of a kind."""
        return ListedColormap(np.asarray(palette(kind, self.theme)) / 255)

    def text(self, x: float, y: float, text: str, side: str = "middle", paint: Any = "ink", **look: Any) -> None:
        """Write a text, one of its sides at a place; `paint` is the name of a colour, or one."""
        ha, va = SIDES[side]
        colour = self.ink(paint) if paint in INKS else paint
        self.axes.text(x, y, text, ha=ha, va=va, color=colour, **look)

    def box(self, x: float, y: float, wide: float, high: float, paint: Any, **look: Any) -> None:
        """Draw a box from its corner."""
        look = {"linewidth": 0} | look
        self.axes.add_patch(Rectangle((x, y), wide, high, facecolor=paint, **look))

    def curve(self, points: Sequence[tuple[float, float]], codes: Sequence[int], paint: Any, **look: Any) -> None:
        """Draw a line along points, by the codes of matplotlib's paths."""
        look = {"edgecolor": paint, "facecolor": "none", "capstyle": "butt"} | look
        self.axes.add_patch(PathPatch(Path([*points], [*codes]), **look))

    def measured(self, high: float) -> float:
        """Make the axes a plane of mm, counted from the top, and return how high it is."""
        self.axes.set(xlim=(0, self.wide), ylim=(high, 0))
        self.axes.axis("off")
        return high

    def bare(self) -> None:
        """Take the frame and the marks of ticks away."""
        self.axes.tick_params(length=0)
        self.axes.spines[:].set_visible(False)

    def thinned(self, names: Sequence[str], each: float, always: Sequence[int] = ()) -> dict[int, str]:
        """The names that have room, by their places, which are `each` mm apart; those `always` named among them."""
        every = max(1, int(np.ceil(self.line / max(each, 1e-9))))
        free = [i for i in range(0, len(names), every) if all(i == j or abs(i - j) >= every for j in always)]
        return {i: shown(names[i]) for i in sorted({*free, *always})}

    def framed(self, *, across: str = "", up: str = "", grid: bool = True) -> None:
        """Axes with two sides, numbers along them as everywhere, and lines behind what is drawn."""
        axes = self.axes
        axes.spines[["top", "right"]].set_visible(False)
        axes.set(xlabel=across, ylabel=up, axisbelow=True)
        if grid:
            axes.grid(axis="y", color=self.ink("grid"), linewidth=0.5)

    def counted(self, *sides: str) -> None:
        """Numbers along these sides as they are written everywhere."""
        for side in sides:
            axis = self.axes.xaxis if side == "x" else self.axes.yaxis
            axis.set_major_formatter(FuncFormatter(lambda value, _: short(float(f"{value:.6g}"))))
            axis.set_minor_formatter(NullFormatter())

    def name_bars(self, names: Sequence[str]) -> None:
        """A name below each bar, beyond so many only some."""
        named = self.thinned(names, 1.2 * (self.wide - 3 * self.line) / max(1, len(names)))
        level = all(self.width([name]) < 0.9 * self.wide / len(names) for name in named.values())
        self.axes.set_xticks([*named], [*named.values()], rotation=0 if level else 90)
        self.axes.tick_params(axis="x", length=0)
        self.axes.set_xlim(-0.6, len(names) - 0.4)

    def standard(self, names: Sequence[str], share: float = 0.45, below: Sequence[str] = ()) -> float:
        """How high a standard chart is, with the names of its series over it and what stands upright below it."""
        across = next((n for n in (4, 3, 2) if n * (self.width(names) + 4 * self.line) < self.wide - 4 * self.line), 1)
        if names:
            over: Mapping[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
            self.axes.legend(ncols=across, frameon=False, **over)
        legend = -(-len(names) // across) * 1.2 * self.line if names else self.line
        upright = min(self.width([shown(name) for name in below]), 25.0)
        return max(34.0, min(100.0, share * self.wide)) + legend + upright
