"""How maps are printed: cells in colours with their numbers, names along the sides, and a scale beside them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.colors import Normalize

from encoder.pictures.chart import Chart, SmallMap, maps_of, scale_of
from encoder.pictures.printed_charts import TALLEST
from encoder.pictures.printed_plane import LEAST_LETTERS, POINT, Plane, whole_percent, wide
from encoder.pictures.printed_text import write
from encoder.support.formatting import brief, in_cell, points_lost, shown, signed, tight, whole
from encoder.support.theme import Kind, limits

MOST_SHAPES = 2_500  # cells that are shapes of their own; more are pixels
PIXELS = 150  # along a side of a map of pixels, at least
MOST_NUMBERS = 2_500  # cells that have their number within, where it has room
BAR = 16.0  # mm for a colour scale and its numbers
SCALE = (1.5, 2.5)  # mm beside the cells, and that a colour scale is wide
WORDS_HIGH = 2.2  # lines of a cell that has a word and its number
SAYS = 0.05  # nats, from which on a part of a sum has its number


def end(value: float) -> str:
    """A number beside a scale, as the screen writes its ends."""
    return tight(brief(value))


def three_digits(value: float) -> str:
    """A number as it stands in a cell: two digits after the point up to ten, else three digits."""
    return whole(value, 2) if abs(value) < 10 else tight(brief(value))


# How the numbers of a picture are written in its cells where they are neither shares nor points.
WRITTEN: dict[str, Callable[[float], str]] = {
    "": three_digits,
    "tenths": lambda value: whole(value, abs(value) < 100),
    "signed tenths": lambda value: signed(value, 1) if abs(value) >= SAYS else "",
    "percent": in_cell,
}


def in_points(chart: Chart) -> Callable[[float], str]:
    """How a chart writes what is lost of a share: in points as both shares are told, or else in percents."""
    if "points_of" not in chart.look:
        return lambda cost: whole(100 * cost)
    share = chart.look["points_of"]
    return lambda cost: points_lost(share, share - cost)


def writers(chart: Chart) -> tuple[Callable[[float], str], Callable[[float], str]]:
    """How the numbers of a map are written, in its cells and beside its scale."""
    if "points_of" in chart.look:
        points = in_points(chart)
        return lambda cost: text if (text := points(cost)).strip("0.") else "·", lambda tick: whole(100 * tick)
    if chart.look.get("kinds", chart.values) == "share":
        return in_cell, whole_percent
    return WRITTEN[chart.look.get("written", "")], end


@dataclass(frozen=True)
class Cells:
    """Rows and columns of cells, `wide` x `high` mm each, in the plane of their picture, whose unit is a cell."""

    plane: Plane
    wide: float
    high: float

    def fill(
        self, values: np.ndarray, at: tuple[float, float], kind: Kind, ends: tuple[float, float], count: int = 1
    ) -> Any:
        """The cells of one of `count` maps, its first row and column `at`; what is no finite number stays blank."""
        axes, (top, left), (n, m) = self.plane.axes, at, values.shape
        cells = np.ma.masked_invalid(values)
        drawn: Any
        paint: Any = {"cmap": self.plane.colours(kind), "norm": Normalize(*ends)}
        if values.size * count <= MOST_SHAPES:
            sides = left + np.arange(m + 1), top + np.arange(n + 1)
            drawn = axes.pcolormesh(*sides, cells, edgecolors="face", linewidth=0.1, in_layout=False, **paint)
        else:
            times = max(1, math.ceil(PIXELS / max(n, m)))  # readers of PDF would blur fewer
            fine, extent = cells.repeat(times, 0).repeat(times, 1), (left, left + m, top + n, top)
            drawn = axes.imshow(fine, extent=extent, interpolation="none", aspect="auto", **paint)
        x, y = [left, left + m, left + m, left, left], [top, top, top + n, top + n, top]
        axes.plot(x, y, color="#e3e6ec", linewidth=0.4, clip_on=False, in_layout=False)
        return drawn

    def write(self, values: np.ndarray, texts: Sequence[Sequence[str]], at: tuple[float, float], drawn: Any) -> None:
        """Words in cells, all of one size, none where they would have no room."""
        longest = max((wide(line) for row in texts for text in row for line in text.split("\n")), default=1.0) or 1.0
        lines = 1 + texts[0][0].count("\n")
        points = min(6.5, 0.9 * self.wide / longest / POINT, 0.75 * self.high / lines / POINT)
        if points < LEAST_LETTERS:
            return
        (top, left), paints = at, drawn.to_rgba(np.nan_to_num(values, neginf=0.0))
        light = paints[..., :3] @ [0.299, 0.587, 0.114]
        inks = np.where(np.isfinite(values) & (light < 0.45), "#ffffff", "#10131a").ravel().tolist()
        places = [(left + j + 0.5, top + i + 0.5) for i, j in np.ndindex(*values.shape)]
        write(self.plane.axes, places, [text for row in texts for text in row], inks, points, laid_out=False)

    def scale(self, drawn: Any, size: tuple[float, float], written: Callable[[float], str] = end) -> None:
        """The colour scale beside so many rows and columns, with the numbers at its ends and between."""
        (rows, columns), low, high = size, float(drawn.norm.vmin), float(drawn.norm.vmax)
        left, right = columns + SCALE[0] / self.wide, columns + sum(SCALE) / self.wide
        look: Any = {"cmap": drawn.cmap, "norm": drawn.norm, "interpolation": "none", "aspect": "auto"}
        ramp, extent = np.linspace(high, low, 255)[:, None], (left, right, rows, 0)
        self.plane.axes.imshow(ramp, extent=extent, clip_on=False, **look)
        ticks: list[float] = np.linspace(low, high, 5 if rows * self.high > 25 else 3).tolist()
        places = [(right, rows * (high - tick) / ((high - low) or 1)) for tick in ticks]
        self.names(places, [written(tick) for tick in ticks], ha="left", away=(2, 0))

    def names(self, places: Sequence[tuple[float, float]], texts: Sequence[str], **how: Any) -> None:
        """Names or numbers beside cells."""
        write(self.plane.axes, places, texts, self.plane.ink("muted"), self.plane.letters, **how)


@dataclass(frozen=True)
class Tiles(Cells):
    """Maps beside and below each other: `across` stand in a row, `gap` rows and columns stand between them."""

    maps: Sequence[SmallMap]
    rows: Sequence[str]
    columns: Sequence[str] | str
    across: int
    gap: tuple[float, float]
    top: float  # mm over the cells

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of each map."""
        n, m = self.maps[0].values.shape
        return n, m

    @property
    def down(self) -> int:
        """How many rows of maps there are."""
        return math.ceil(len(self.maps) / self.across)

    @property
    def size(self) -> tuple[float, float]:
        """Rows and columns of all of them, those between them too."""
        (n, m), (high, wide) = self.shape, self.gap
        return self.down * n + (self.down - 1) * high, self.across * m + (self.across - 1) * wide

    def corner(self, i: int) -> tuple[float, float]:
        """The first row and column of a map."""
        (n, m), (high, wide) = self.shape, self.gap
        return i // self.across * (n + high), i % self.across * (m + wide)


def tiles_of(plane: Plane, chart: Chart, kind: str) -> Tiles:
    """Where the maps of a picture stand."""
    maps, rows, look = maps_of(chart, kind), chart.names(-2), chart.look
    names = chart.numbers.along(chart.numbers.dims[-1])
    (n, m), named = maps[0].values.shape, isinstance(names, list)
    usual = math.ceil(len(maps) ** 0.5) if kind == "maps" else 4 if named else 2
    across = min(len(maps), look.get("columns") or look.get("across") or usual)
    down = math.ceil(len(maps) / across)
    side = plane.width([shown(name, look.get("longest", 14)) for name in rows]) + 2 * plane.line
    between = 1.5 if across > 1 else 0.0
    free = max(20.0, plane.wide - side - BAR) - between * (across - 1)
    title = plane.line * 1.2 if any(small.title for small in maps) else 0.0
    most = (TALLEST - down * title) / (down * n)
    wide = free / (across * m)
    high = wide = max(0.05, min(wide, most, 7.5)) if named else wide
    if not named:
        high = max(0.05, min(1.6 * plane.line, most))
    top = plane.width([shown(name) for name in names]) if named else plane.line
    return Tiles(plane, wide, high, maps, rows, names, across, ((title + 0.8) / high, between / wide), top + title)


def draw_maps(plane: Plane, chart: Chart, *, kind: str = "matrix") -> float:
    """Maps with their names, the colour scale beside them, and a number in every cell where all have room."""
    tiles, (in_cells, at_scale) = tiles_of(plane, chart, kind), writers(chart)
    scales, (rows, columns) = {scale_of(small, chart) for small in tiles.maps}, tiles.size
    for i, small in enumerate(tiles.maps):
        (kind_of, *ends), (top, left) = scale_of(small, chart), tiles.corner(i)
        drawn = tiles.fill(small.coloured, (top, left), kind_of, (ends[0], ends[1]), len(tiles.maps))
        title = small.title if len(scales) == 1 else f"{small.title} ({end(ends[0])} to {end(ends[1])})"
        points = min(plane.letters, tiles.shape[1] * tiles.wide / max(wide(title), 1) / POINT)
        if title and points >= LEAST_LETTERS:
            plane.text(left + tiles.shape[1] / 2, top - 0.4 / tiles.high, title, "above", size=points)
        if small.values.size * len(tiles.maps) <= MOST_NUMBERS and not chart.look.get("bare"):
            texts = [[in_cells(float(x)) if np.isfinite(x) else "" for x in row] for row in small.coloured]
            tiles.write(small.coloured, texts, (top, left), drawn)
    if len(scales) == 1:
        tiles.scale(drawn, tiles.size, at_scale)
    plane.axes.set(xlim=(0, columns), ylim=(rows, 0), aspect=tiles.high / tiles.wide)
    name_sides(tiles, chart)
    below = 2.5 if chart.look.get("column_title") or isinstance(tiles.columns, str) else 1
    return rows * tiles.high + tiles.top + below * plane.line + 2


def subject_of(chart: Chart, tiles: Tiles) -> tuple[int, int]:
    """The row and column that are named even where not all have room: the ones it is about, or the strongest."""
    if (subject := chart.look.get("subject")) is not None:
        return subject[0], subject[1]
    sizes = np.stack([np.where(np.isfinite(small.coloured), np.abs(small.coloured), -1.0) for small in tiles.maps])
    row, column = divmod(int(sizes.max(0).argmax()), tiles.shape[1])
    return row, column


def name_sides(tiles: Tiles, chart: Chart) -> None:
    """The names along both sides of maps, left of those of the first column and over those of the first row."""
    plane, axes, at, longest = tiles.plane, tiles.plane.axes, chart.at, chart.look.get("longest", 14)
    (row, column), several, rows = subject_of(chart, tiles), len(tiles.maps) > 1, tiles.size[0]
    names = {i: shown(tiles.rows[i], longest) for i in plane.thinned(tiles.rows, tiles.high, [row])}
    if several and len(names) < 3:
        names = {}
    elif len(names) < len(tiles.rows):
        numbered = at if at and len(at) == len(tiles.rows) else None
        names = {i: shown(f"{numbered[i]} {tiles.rows[i]}" if numbered else tiles.rows[i], longest + 4) for i in names}
    tops = [tiles.corner(i * tiles.across)[0] for i in range(tiles.down)]
    places = [(0.0, top + i + 0.5) for top in tops for i in names]
    tiles.names(places, [*names.values()] * tiles.down, ha="right", away=(-3, 0))
    axes.set_ylabel(chart.look.get("row_title", ""), labelpad=plane.width([*names.values()]) / POINT + 5)
    if isinstance(tiles.columns, list):
        heads, below = plane.thinned(tiles.columns, tiles.wide, [column]), any(small.title for small in tiles.maps)
        heads = {} if several and len(heads) < 3 else heads
        side: Any = {"va": "top", "away": (0, -3)} if below else {"va": "bottom", "away": (0, 3)}
        lefts = [tiles.corner(i)[1] for i in range(tiles.across)]
        places = [(left + j + 0.5, rows * below) for left in lefts for j in heads]
        tiles.names(places, [*heads.values()] * tiles.across, upright=True, **side)
        below_names = plane.width([*heads.values()]) / POINT + 5 if below else 4
        axes.set_xlabel(chart.look.get("column_title", ""), labelpad=below_names)
    else:
        step = int(float(f"{max(1, tiles.shape[1] // 4):.1g}"))
        counts = range(0, tiles.shape[1], step) if tiles.across == 1 else []
        tiles.names([(j + 0.5, rows) for j in counts], [str(j) for j in counts], va="top", away=(0, -3))
        axes.set_xlabel(chart.look.get("column_title") or str(tiles.columns), labelpad=plane.letters + 4)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def draw_words(plane: Plane, chart: Chart) -> float:
    """The likeliest words in cells, a row for each token; layers go from left to right, as along a line."""
    along, axes = chart.numbers.dims[0] == "after", plane.axes
    values, words = chart.numbers.array, np.array(chart.numbers.words)
    ranks, names = [f"{i + 1}." for i in range(values.shape[1])], [shown(name) for name in chart.names(0)]
    rows, columns, values, words = (ranks, names, values.T, words.T) if along else (names, ranks, values, words)
    free = (plane.wide - plane.width(rows) - 2 * plane.line - BAR) / len(columns)
    cells = Cells(plane, free, WORDS_HIGH * plane.line)
    ends = limits(chart.values, float(np.abs(values).max(initial=0.0)))
    drawn = cells.fill(values, (0, 0), chart.values, ends)
    written = whole_percent if chart.values == "share" else three_digits
    texts = [
        [f"{fitted(as_piece(shown(word, 12)), free)}\n{written(value)}" for word, value in zip(*row, strict=True)]
        for row in zip(words.tolist(), values.tolist(), strict=True)
    ]
    cells.write(values, texts, (0, 0), drawn)
    cells.scale(drawn, (len(rows), len(columns)), whole_percent if chart.values == "share" else end)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=90 if plane.width(columns) > 0.9 * free else 0)
    titles = ("rank", chart.look.get("row_title", "")) if along else (chart.look.get("row_title", "position"), "")
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0), ylabel=titles[0], xlabel=titles[1])
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)
    return (len(rows) * WORDS_HIGH + 6) * plane.line


def as_piece(word: str) -> str:
    """A word as it is told: a piece that goes on a word begins with dots."""
    return f"…{word[2:]}" if word.startswith("##") and len(word) > 2 else word


def fitted(text: str, free: float) -> str:
    """The beginning of a text that has room at the least size of letters."""
    most = 0.88 * free / POINT / LEAST_LETTERS
    ends = range(len(text), 0, -1)
    return text if wide(text) <= most else next((f"{text[:n]}…" for n in ends if wide(f"{text[:n]}…") <= most), "…")


MAPS: dict[str, Callable[[Plane, Chart], float]] = {
    "matrix": draw_maps,
    "tiles": partial(draw_maps, kind="tiles"),
    "maps": partial(draw_maps, kind="maps"),
    "words": draw_words,
}
