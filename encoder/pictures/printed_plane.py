"""What printed pictures are drawn with: axes, how many letters go side by side on them, colours, texts and legends."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import ListedColormap
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, NullFormatter
from matplotlib.transforms import IdentityTransform

from encoder.support.formatting import percent, short, shown, tight
from encoder.support.theme import BACKGROUND, GRID, PAINTS, Kind, palette

LEAST_LETTERS = 5.0  # points: nothing on a sheet is smaller
LINE = 1.25  # letters from one line of text to the next
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
    "over right": ("right", "bottom"),
}


def widest(texts: Sequence[str]) -> float:
    """About how many letters wide the longest text is: letters beyond Latin and its kin are taken as squares."""
    wide = [sum(0.32 if c in NARROW else 0.63 if ord(c) < 0x2E80 else 1.0 for c in text) for text in texts]
    return max(wide, default=0.0)


def whole_percent(share: float) -> str:
    """A share as it stands at a word or bar: in whole percents."""
    return tight(percent(share, 1)) if share else "0 %"


def ink(name: str) -> str:
    """A colour of paper by its name."""
    return INKS[name]["light"]


def of_sign(value: float) -> str:
    """Blue from zero on, and warm below it."""
    return ink("second" if value < 0 else "accent")


def colours(kind: Kind) -> ListedColormap:
    """The palette of a kind."""
    return ListedColormap(np.asarray(palette(kind, "light")) / 255)


@dataclass(frozen=True, eq=False)
class Plane:
    """The axes of a picture on a sheet where `wide` letters of so many points stand side by side."""

    axes: Axes
    wide: float
    letters: float

    @property
    def small(self) -> float:
        """The points of smaller letters."""
        return max(LEAST_LETTERS, 0.85 * self.letters)

    def text(
        self, x: float, y: float, text: str, side: str = "middle", paint: str = "ink", away: Any = (0, 0), **look: Any
    ) -> None:
        """Write a text, one of its sides at a place or so many points away, in a colour of INKS."""
        ha, va = SIDES[side]
        self.axes.annotate(text, (x, y), away, textcoords="offset points", ha=ha, va=va, color=ink(paint), **look)

    def box(self, x: float, y: float, wide: float, high: float, paint: str, **look: Any) -> None:
        """Draw a box from its corner."""
        look = {"facecolor": paint, "linewidth": 0.0, **look}
        self.axes.add_patch(Rectangle((x, y), wide, high, **look))

    def curve(self, points: Sequence[tuple[float, float]], codes: Sequence[int], paint: str, **look: Any) -> None:
        """Draw a line along points, by the codes of matplotlib's paths."""
        look = {"edgecolor": paint, "facecolor": "none", "capstyle": "butt"} | look
        self.axes.add_patch(PathPatch(Path([*points], [*codes]), **look))

    def in_letters(self, high: float) -> float:
        """Count along both axes in letters, from the left and from the top; return how high they are."""
        self.axes.set(xlim=(0, self.wide), ylim=(high, 0))
        self.axes.axis("off")
        return high

    def bare(self) -> None:
        """Take the frame and the marks of ticks away."""
        self.axes.tick_params(length=0)
        self.axes.spines[:].set_visible(False)

    def thinned(self, names: Sequence[str], each: float, always: Sequence[int] = ()) -> dict[int, str]:
        """The names with room, by their places, which are `each` letters apart; those `always` named among them."""
        every = max(1, int(np.ceil(LINE / max(each, 1e-9))))
        free = [i for i in range(0, len(names), every) if all(i == j or abs(i - j) >= every for j in always)]
        return {i: shown(names[i]) for i in sorted({*free, *always})}

    def framed(self, *, across: str = "", up: str = "", counted: str = "xy") -> None:
        """Axes with two sides and lines behind what is drawn; along those `counted` numbers as they are everywhere."""
        self.axes.spines[["top", "right"]].set_visible(False)
        self.axes.set(xlabel=across, ylabel=up, axisbelow=True)
        self.axes.grid(axis="y", color=ink("grid"), linewidth=0.5)
        for side in counted:
            axis = self.axes.xaxis if side == "x" else self.axes.yaxis
            axis.set_major_formatter(FuncFormatter(lambda value, _: short(float(f"{value:.6g}"))))
            axis.set_minor_formatter(NullFormatter())

    def name_bars(self, names: Sequence[str]) -> None:
        """A name below each bar, beyond so many only some."""
        each = 0.9 * self.wide / max(1, len(names))
        named = self.thinned(names, 1.2 * each)
        self.axes.set_xticks([*named], [*named.values()], rotation=0 if widest([*named.values()]) < each else 90)
        self.axes.tick_params(axis="x", length=0)
        self.axes.set_xlim(-0.6, len(names) - 0.4)

    def legend(self) -> None:
        """The names of what is drawn, above it."""
        names = self.axes.get_legend_handles_labels()[1]
        across = next((n for n in (4, 3, 2) if n * (widest(names) + 5) < self.wide - 5), 1)
        over: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
        self.axes.legend(ncols=across, frameon=False, columnspacing=1.5, **over)

    def standard(self, share: float = 0.45) -> float:
        """How high a standard chart is."""
        return max(13.0, min(32.0, share * self.wide))


class CellTexts(Artist):
    """Texts in the middle of cells, of one size, each with its colour: matplotlib would lay each `Text` out alone."""

    def __init__(self, places: Sequence[Any], texts: Sequence[str], paints: Sequence[str], size: float) -> None:
        super().__init__()
        self.set(zorder=3, in_layout=False)
        self.places, self.texts, self.paints, self.font = places, texts, paints, FontProperties(size=size)

    def draw(self, renderer: RendererBase) -> None:
        """Draw each of them, its lines one below the other."""
        pen, middle = renderer.new_gc(), Text(ha="center", va="baseline", transform=IdentityTransform())
        middle.set_figure(self.get_figure(root=False))  # type: ignore[arg-type]
        measured = cache(lambda line: renderer.get_text_width_height_descent(line, self.font, ismath=False))
        _, high, descent = measured("0")
        step, canvas = 1.6 * (high - descent), renderer.get_canvas_width_height()[1]
        at = self.get_transform().transform(self.places).tolist()
        for (x, y), text, paint in zip(at, self.texts, self.paints, strict=True):
            pen.set_foreground(paint)
            lines = [line for line in text.split("\n") if line]
            for n, line in enumerate(lines):
                low = y - (high - descent) / 2 + ((len(lines) - 1) / 2 - n) * step
                middle.set_position((x, low))
                top = canvas - low if renderer.flipy() else low
                renderer.draw_text(pen, x - measured(line)[0] / 2, top, line, self.font, 0, mtext=middle)
        pen.restore()
