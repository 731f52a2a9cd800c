"""How each kind of picture is printed: the same marks as on the screen, by matplotlib; lengths in mm."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import FuncFormatter, NullFormatter

from encoder.pictures.chart import Chart, SmallMap, maps_of, scale_of
from encoder.pictures.figures.areas import bars_of, colour_of, layer_names, rectangles
from encoder.pictures.figures.charts import below, first_terms, level
from encoder.pictures.figures.scatter import LEAST, LETTER, LEVELS, apart
from encoder.pictures.numbers import array
from encoder.pictures.printed_text import write
from encoder.support.formatting import percent, short, shown
from encoder.support.theme import (
    ACCENT,
    BACKGROUND,
    GRID,
    INK,
    LINES,
    MUTED,
    SECOND,
    Kind,
    Theme,
    labels,
    limits,
    palette,
)

POINT = 25.4 / 72  # mm
LEAST_LETTERS = 5.0  # points: nothing on a sheet is smaller
MOST_SHAPES = 2_500  # cells that are shapes of their own; more are pixels
PIXELS = 150  # along a side of a map of pixels, at least
MOST_NUMBERS = 2_500  # cells that have their number within, where it has room
BAR = 16.0  # mm for a colour scale and its numbers
SCALE = (1.5, 2.5)  # mm beside the cells, and that a colour scale is wide
WORDS_HIGH = 2.2  # lines of a cell that has a word and its number
MOST_OF_NAME = 48  # letters of the name of a series
TALLEST = 200.0  # mm of all cells of a picture
NARROW = ".,:;'!|ilj()[] "
DASHES = {"solid": "-", "dot": ":"}


@dataclass(frozen=True)
class Room:
    """Where a picture is printed: how wide, and with letters of how many points."""

    wide: float
    letters: float
    theme: Theme

    @property
    def line(self) -> float:
        """How high a line of text is."""
        return 1.25 * self.letters * POINT

    def width(self, names: Sequence[str], points: float = 0.0) -> float:
        """About how wide the longest of these names is."""
        return max(map(wide, names), default=0.0) * (points or self.letters) * POINT


def wide(text: str) -> float:
    """About how wide a text is, over the size of its letters: letters beyond Latin and its kin are taken as squares."""
    return sum(0.32 if c in NARROW else 0.63 if ord(c) < 0x2E80 else 1.0 for c in text)


def thinned(names: Sequence[str], each: float, room: Room, always: Sequence[int] = ()) -> dict[int, str]:
    """The names that have room, by their places, which are `each` mm apart; those `always` named among them."""
    every = max(1, math.ceil(room.line / max(each, 1e-9)))
    free = [i for i in range(0, len(names), every) if all(i == j or abs(i - j) >= every for j in always)]
    return {i: shown(names[i]) for i in sorted({*free, *always})}


def colours(kind: Kind, theme: Theme) -> ListedColormap:
    """The palette of a kind."""
    return ListedColormap(np.asarray(palette(kind, theme)) / 255)


@dataclass(frozen=True)
class Tiles:
    """Maps beside and below each other in one plane, whose unit is a cell.

    `across` stand in a row, cells are `cell` mm wide and high, `gap` columns and rows stand between maps.
    """

    maps: Sequence[SmallMap]
    rows: Sequence[str]
    columns: Sequence[str] | str
    across: int
    cell: tuple[float, float]
    gap: tuple[float, float]
    top: float  # mm over the cells

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of each map."""
        n, m = self.maps[0].values.shape
        return n, m

    @property
    def size(self) -> tuple[float, float]:
        """Rows and columns of all of them, those between them too."""
        (n, m), (wide, high) = self.shape, self.gap
        down = math.ceil(len(self.maps) / self.across)
        return down * n + (down - 1) * high, self.across * m + (self.across - 1) * wide

    def corner(self, i: int) -> tuple[float, float]:
        """The first row and column of a map."""
        (n, m), (wide, high) = self.shape, self.gap
        return i // self.across * (n + high), i % self.across * (m + wide)


def tiles_of(chart: Chart, kind: str, room: Room) -> Tiles:
    """Where the maps of a picture stand."""
    maps, names = maps_of(chart, kind), chart.numbers.along(chart.numbers.dims[-1])
    n, m = maps[0].values.shape
    rows, named = chart.names(-2), isinstance(names, list)
    usual = math.ceil(len(maps) ** 0.5) if kind == "maps" else 4 if named else 2
    across = min(len(maps), chart.look.get("columns") or chart.look.get("across") or usual)
    down = math.ceil(len(maps) / across)
    top = room.width([shown(name) for name in names]) if named else room.line
    side = room.width([shown(name, chart.look.get("longest", 14)) for name in rows]) + 2 * room.line
    free = max(20.0, room.wide - side - BAR)
    between = 1.5 if across > 1 else 0.0
    cell_wide = (free - between * (across - 1)) / (across * m)
    title = room.line * 1.2 if any(small.title for small in maps) else 0.0
    most = (TALLEST - down * title) / (down * n)
    if named and kind != "words":
        cell_wide = cell_high = max(0.05, min(cell_wide, most, 7.5))
    else:
        cell_high = max(0.05, min(1.6 * room.line, most))
    gap = (between / cell_wide, (title + 0.8) / cell_high)
    return Tiles(maps, rows, names, across, (cell_wide, cell_high), gap, top + title)


def draw_maps(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Maps with their names, the colour scale beside them, and a number in every cell where all have room."""
    tiles = tiles_of(chart, kind, room)
    scales = {scale_of(small, chart) for small in tiles.maps}
    for i, small in enumerate(tiles.maps):
        kind_of, low, high = scale_of(small, chart)
        top, left = tiles.corner(i)
        paint = colours(kind_of, room.theme), Normalize(low, high)
        drawn = fill(axes, small.coloured, (top, left), *paint, len(tiles.maps))
        title = small.title if len(scales) == 1 else f"{small.title} ({short(low)} to {short(high)})"
        points = min(room.letters, tiles.shape[1] * tiles.cell[0] / max(wide(title), 1) / POINT)
        if title and points >= LEAST_LETTERS:
            axes.text(
                left + tiles.shape[1] / 2, top - 0.4 / tiles.cell[1], title, ha="center", va="bottom", size=points
            )
        write_numbers(axes, small, writers(chart)[0], (top, left), tiles, drawn)
    if len(scales) == 1:
        add_scale(axes, drawn, tiles.size, tiles.cell, room, writers(chart)[1])
    rows, columns = tiles.size
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect=tiles.cell[1] / tiles.cell[0])
    name_sides(axes, chart, tiles, room)


def fill(
    axes: Axes, values: np.ndarray, at: tuple[float, float], cmap: ListedColormap, norm: Normalize, count: int = 1
) -> ScalarMappable:
    """The cells of one of `count` maps, its first row and column `at`; what is no finite number stays blank."""
    (top, left), (n, m) = at, values.shape
    drawn: ScalarMappable
    cells = np.ma.masked_invalid(values)
    if values.size * count <= MOST_SHAPES:
        sides = left + np.arange(m + 1), top + np.arange(n + 1)
        drawn = mesh = axes.pcolormesh(*sides, cells, cmap=cmap, norm=norm, edgecolors="face", linewidth=0.1)
        mesh.set_in_layout(False)
    else:
        times = max(1, math.ceil(PIXELS / max(n, m)))  # readers of PDF would blur fewer
        fine = cells.repeat(times, 0).repeat(times, 1)
        extent = (left, left + m, top + n, top)
        drawn = axes.imshow(fine, cmap=cmap, norm=norm, extent=extent, interpolation="none", aspect="auto")
    x, y = [left, left + m, left + m, left, left], [top, top, top + n, top + n, top]
    axes.plot(x, y, color=GRID["light"], linewidth=0.4, clip_on=False, in_layout=False)
    return drawn


def ends_of(drawn: ScalarMappable) -> tuple[float, float]:
    """The numbers at both ends of the colours."""
    norm: Any = drawn.norm
    return float(norm.vmin or 0.0), float(norm.vmax or 0.0)


def add_scale(
    axes: Axes,
    drawn: ScalarMappable,
    size: tuple[float, float],
    cell: tuple[float, float],
    room: Room,
    written: Callable[[float], str] = short,
) -> None:
    """The colour scale beside so many rows and columns, with the numbers at its ends and between."""
    rows, columns = size
    low, high = ends_of(drawn)
    left, right = columns + SCALE[0] / cell[0], columns + sum(SCALE) / cell[0]
    look: Any = {"cmap": drawn.cmap, "norm": drawn.norm, "interpolation": "none", "aspect": "auto", "clip_on": False}
    axes.imshow(np.linspace(high, low, 255)[:, None], extent=(left, right, rows, 0), **look)
    ticks: list[float] = np.linspace(low, high, 5 if rows * cell[1] > 25 else 3).tolist()
    places = [(right, rows * (high - tick) / ((high - low) or 1)) for tick in ticks]
    write(axes, places, [written(tick) for tick in ticks], MUTED[room.theme], room.letters, ha="left", away=(2, 0))


def in_cell(value: float) -> str:
    """A number as it stands in a cell: two digits after the point up to ten, else three digits."""
    return "" if not np.isfinite(value) else f"{value:.2f}" if abs(value) < 10 else short(float(f"{value:.3g}"))


def in_percent(value: float) -> str:
    """A share in whole percents without their sign, as in a cell of the screen."""
    return "" if not np.isfinite(value) else "·" if abs(value) < 0.005 else f"{100 * value:.0f}"


def in_points(value: float) -> str:
    """A change of a share in points, with its sign."""
    return in_percent(value) if abs(value) < 0.005 else signed(100 * value, 0)


def signed(value: float, digits: int) -> str:
    """A number with its sign."""
    return f"{value:+.{digits}f}".replace("-", "\u2212")


def whole_percent(share: float) -> str:
    """A share as it stands at a word or bar: in whole percents."""
    return percent(share, 1).replace("under ", "< ").replace("over ", "> ") if share else "0 %"


def writers(chart: Chart) -> tuple[Callable[[float], str], Callable[[float], str]]:
    """How the numbers of a map are written, in its cells and beside its scale."""
    if chart.look.get("written") == "points":
        return in_points, lambda tick: signed(100 * tick, 0) if tick else "0"
    shares = chart.look.get("kinds", chart.values) == "share"
    return (in_percent, whole_percent) if shares else (in_cell, short)


def write_numbers(
    axes: Axes,
    small: SmallMap,
    written: Callable[[float], str],
    at: tuple[float, float],
    tiles: Tiles,
    drawn: ScalarMappable,
) -> None:
    """The numbers of a map in its cells, where all have room."""
    if small.values.size * len(tiles.maps) <= MOST_NUMBERS:
        texts = [[written(float(value)) for value in row] for row in small.coloured]
        write_cells(axes, small.coloured, texts, at, tiles.cell, drawn)


def write_cells(
    axes: Axes,
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    at: tuple[float, float],
    cell: tuple[float, float],
    drawn: ScalarMappable,
) -> None:
    """Words in cells, all of one size, none where they would have no room."""
    longest = max((wide(line) for row in texts for text in row for line in text.split("\n")), default=1.0) or 1.0
    lines = 1 + texts[0][0].count("\n")
    points = min(6.5, 0.9 * cell[0] / longest / POINT, 0.75 * cell[1] / lines / POINT)
    if points < LEAST_LETTERS:
        return
    (top, left), paints = at, drawn.to_rgba(np.nan_to_num(values, neginf=0.0))
    light = paints[..., :3] @ [0.299, 0.587, 0.114]
    inks = np.where(np.isfinite(values) & (light < 0.45), "#ffffff", "#10131a").ravel().tolist()
    places = [(left + j + 0.5, top + i + 0.5) for i, j in np.ndindex(*values.shape)]
    write(axes, places, [text for row in texts for text in row], inks, points, laid_out=False)


def subject_of(chart: Chart, tiles: Tiles) -> tuple[int, int]:
    """The row and column that are named even where not all have room: the ones it is about, or the strongest."""
    if (subject := chart.look.get("subject")) is not None:
        return subject[0], subject[1]
    sizes = np.stack([np.where(np.isfinite(small.coloured), np.abs(small.coloured), -1.0) for small in tiles.maps])
    row, column = divmod(int(sizes.max(0).argmax()), tiles.shape[1])
    return row, column


def name_sides(axes: Axes, chart: Chart, tiles: Tiles, room: Room) -> None:
    """The names along both sides of maps, left of those of the first column and over those of the first row."""
    down, across = -(-len(tiles.maps) // tiles.across), min(tiles.across, len(tiles.maps))
    row, column = subject_of(chart, tiles)
    at, longest = chart.at, chart.look.get("longest", 14)
    numbered = [f"{at[i]} {name}" if at and len(at) == len(tiles.rows) else name for i, name in enumerate(tiles.rows)]
    names = {i: shown(tiles.rows[i], longest) for i in thinned(tiles.rows, tiles.cell[1], room, [row])}
    if len(tiles.maps) > 1 and len(names) < 3:
        names = {}
    elif len(names) < len(tiles.rows):
        names = {i: shown(numbered[i], longest + 4) for i in names}
    ink = MUTED[room.theme]
    tops = [tiles.corner(i * tiles.across)[0] for i in range(down)]
    places = [(0.0, top + i + 0.5) for top in tops for i in names]
    write(axes, places, [*names.values()] * down, ink, room.letters, ha="right", away=(-3, 0))
    beside_names = room.width([*names.values()]) / POINT + 5
    axes.set_ylabel(chart.look.get("row_title", ""), labelpad=beside_names)
    rows = tiles.size[0]
    if isinstance(tiles.columns, list):
        heads = thinned(tiles.columns, tiles.cell[0], room, [column])
        heads = {} if len(tiles.maps) > 1 and len(heads) < 3 else heads
        below = any(small.title for small in tiles.maps)
        side: Any = {"va": "top", "away": (0, -3)} if below else {"va": "bottom", "away": (0, 3)}
        lefts = [tiles.corner(i)[1] for i in range(across)]
        places = [(left + j + 0.5, rows * below) for left in lefts for j in heads]
        write(axes, places, [*heads.values()] * across, ink, room.letters, upright=True, **side)
        below_names = room.width([*heads.values()]) / POINT + 5 if below else 4
        axes.set_xlabel(chart.look.get("column_title", ""), labelpad=below_names)
    else:
        step = max(1, tiles.shape[1] // 4)
        step = int(float(f"{step:.1g}"))
        counts = [j for j in range(0, tiles.shape[1], step)] if across == 1 else []
        places = [(j + 0.5, rows) for j in counts]
        write(axes, places, [str(j) for j in counts], ink, room.letters, va="top", away=(0, -3))
        axes.set_xlabel(chart.look.get("column_title") or str(tiles.columns), labelpad=room.letters + 4)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def high_maps(chart: Chart, room: Room, kind: str) -> float:
    """How high a picture of maps is."""
    tiles = tiles_of(chart, kind, room)
    below_cells = 2.5 * room.line if chart.look.get("column_title") or isinstance(tiles.columns, str) else room.line
    return tiles.size[0] * tiles.cell[1] + tiles.top + below_cells + 2


def draw_words(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """The likeliest words in cells, a row for each token; layers go from left to right, as along a line."""
    along = chart.numbers.dims[0] == "after"
    values, words = chart.numbers.array, np.array(chart.numbers.words)
    ranks, names = [f"{i + 1}." for i in range(values.shape[1])], [shown(name) for name in chart.names(0)]
    rows, columns = (ranks, names) if along else (names, ranks)
    values, words = (values.T, words.T) if along else (values, words)
    low, high = limits(chart.values, float(np.abs(values).max(initial=0.0)))
    drawn = fill(axes, values, (0, 0), colours(chart.values, room.theme), Normalize(low, high))
    free = (room.wide - room.width(rows) - 2 * room.line - BAR) / len(columns)
    written = whole_percent if chart.values == "share" else in_cell
    texts = [
        [f"{fitted(shown(word, 12), free, room)}\n{written(value)}" for word, value in zip(*row, strict=True)]
        for row in zip(words.tolist(), values.tolist(), strict=True)
    ]
    write_cells(axes, values, texts, (0, 0), (free, WORDS_HIGH * room.line), drawn)
    add_scale(axes, drawn, (len(rows), len(columns)), (free, WORDS_HIGH * room.line), room)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    upright = room.width(columns) > 0.9 * free
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=90 if upright else 0)
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    axes.set_ylabel("rank" if along else chart.look.get("row_title", "position"))
    if along:
        axes.set_xlabel(chart.look.get("row_title", ""))
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)


def fitted(text: str, free: float, room: Room) -> str:
    """The beginning of a text that has room at the least size of letters."""
    most = 0.88 * free / POINT / LEAST_LETTERS
    ends = range(len(text), 0, -1)
    return text if wide(text) <= most else next((f"{text[:n]}…" for n in ends if wide(f"{text[:n]}…") <= most), "…")


def high_words(chart: Chart, room: Room, kind: str) -> float:
    """How high a picture of words is."""
    n, k = chart.numbers.array.shape
    rows = int(k if chart.numbers.dims[0] == "after" else n)
    return (rows * WORDS_HIGH + 6) * room.line


def high_chart(chart: Chart, room: Room, kind: str) -> float:
    """How high a picture of bars, lines or points is."""
    share = {"points": 0.75, "paths": 0.75}.get(kind, 0.45)
    names = names_of_lines(chart) if kind in ("bars", "curve", "outlines") else []
    legend = math.ceil(len(names) / beside(names, room)) * 1.2 * room.line if names else room.line
    tilted = room.width([shown(name) for name in chart.names(-1)]) if kind in ("bars", "signed bars", "terms") else 0.0
    return max(34.0, min(100.0, share * room.wide)) + legend + min(tilted, 25.0)


def plain_axes(axes: Axes, theme: Theme, *, across: str = "", up: str = "", grid: bool = True) -> None:
    """Axes without a frame, with numbers as everywhere, and lines behind what is drawn."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set(xlabel=across, ylabel=up)
    if grid:
        axes.grid(axis="y", color=GRID[theme], linewidth=0.5)
    axes.set_axisbelow(True)


def count_off(axis: Any) -> None:
    """Numbers along an axis as they are written everywhere."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(float(f"{value:.6g}"))))
    axis.set_minor_formatter(NullFormatter())


def name_bars(axes: Axes, names: Sequence[str], room: Room) -> None:
    """A name below each bar, beyond so many only some."""
    named = thinned(names, 1.2 * (room.wide - 3 * room.line) / max(1, len(names)), room)
    level_names = all(room.width([name]) < 0.9 * room.wide / len(names) for name in named.values())
    axes.set_xticks([*named], [*named.values()], rotation=0 if level_names else 90)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(names) - 0.4)


def draw_bars(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """A bar for each place, and one beside it for each series, told apart by colour, hatching and name."""
    looks, count = ((ACCENT, ""), (SECOND, "////")), len(chart.series)
    x, high = np.arange(chart.numbers.array.shape[-1]), 0.75 / count
    for i, ((name, values), (colour, hatch)) in enumerate(zip(chart.series.items(), looks, strict=False)):
        place = x + (i - (count - 1) / 2) * high
        edge: Any = {"edgecolor": BACKGROUND[room.theme]} if hatch else {}
        axes.bar(
            place,
            values,
            high,
            label=shown(name, MOST_OF_NAME),
            color=colour[room.theme],
            hatch=hatch,
            linewidth=0,
            **edge,
        )
    plain_axes(axes, room.theme, up=chart.look.get("title", chart.unit))
    if chart.look.get("logarithmic"):
        axes.set_yscale("log")
        if span := below(chart.series).get("range"):
            axes.set_ylim(10 ** span[0], 10 ** span[1])
    count_off(axes.yaxis)
    at, names = chart.at, chart.names(-1)
    name_bars(axes, [f"{at[i]} {name}" for i, name in enumerate(names)] if at else names, room)
    add_legend(axes, chart, room)


def beside(names: Sequence[str], room: Room) -> int:
    """How many names of series have room beside each other."""
    return next((n for n in (4, 3, 2) if n * (room.width(names) + 4 * room.line) < room.wide - 4 * room.line), 1)


def add_legend(axes: Axes, chart: Chart, room: Room) -> None:
    """The names of the series over a picture, where there are several."""
    if names := names_of_lines(chart):
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=beside(names, room), frameon=False, borderaxespad=0.2
        )


def names_of_lines(chart: Chart) -> list[str]:
    """The names of the series of a picture that has several."""
    return [shown(name, MOST_OF_NAME) for name in chart.series] if len(chart.series) > 1 else []


def draw_terms(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Terms of a sum, those below zero in a colour of their own; of many the largest, and all others as one more."""
    values, names = chart.numbers.array, chart.names(0)
    if kind == "terms":
        values, names = first_terms(values, chart.look.get("names") or names)
    paints = [(SECOND if value < 0 else ACCENT)[room.theme] for value in values]
    axes.bar(np.arange(len(values)), values, 0.75, color=paints)
    axes.axhline(0, color=MUTED[room.theme], linewidth=0.5)
    plain_axes(axes, room.theme, up="term")
    count_off(axes.yaxis)
    name_bars(axes, names, room)


def draw_lines(axes: Axes, chart: Chart, room: Room, x: np.ndarray, *, dots: bool, steps: bool = False) -> None:
    """A line for each series, told apart by colour, dash and name."""
    marker, style = "." if dots else "", "steps-mid" if steps else "default"
    for (name, y), (colour, dash) in zip(chart.series.items(), LINES, strict=False):
        look: Any = {"color": colour[room.theme], "linestyle": DASHES[dash], "marker": marker, "drawstyle": style}
        axes.plot(x, y, label=shown(name, MOST_OF_NAME), linewidth=1, markersize=3.5, **look)


def draw_curve(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """A line for each series over numbers, or over places that are counted from 0."""
    numbers, look = chart.numbers, chart.look
    along = numbers.names.get(numbers.dims[-1], "")
    counted = isinstance(along, str) or any(isinstance(name, str) for name in along)
    x = np.arange(numbers.array.shape[-1]) if counted else np.array(along, dtype=float)
    draw_lines(axes, chart, room, x, dots=True)
    across, up = look.get("titles", (numbers.dims[-1], chart.unit))
    plain_axes(axes, room.theme, across=across, up=up)
    logarithmic = look.get("logarithmic", (False, False))
    axes.set(**{f"{side}scale": "log" for side, log in zip("xy", logarithmic, strict=True) if log})
    if not logarithmic[1] and (span := level(np.ravel(numbers.array)).get("range")):
        axes.set_ylim(span)
    for side, frame, log in zip("xy", look.get("frames", ({}, {})), logarithmic, strict=True):
        frame_axis(axes, side, frame, log)
    add_legend(axes, chart, room)


def frame_axis(axes: Axes, side: str, frame: Mapping[str, Any], logarithmic: bool) -> None:
    """What else the screen is told of an axis: its ends, and which places are named how."""
    axis = axes.xaxis if side == "x" else axes.yaxis
    count_off(axis)
    if "tickvals" in frame:
        axis.set_ticks(frame["tickvals"], frame.get("ticktext"))
    if "range" in frame:
        axes.set(**{f"{side}lim": [10**end for end in frame["range"]] if logarithmic else frame["range"]})


def draw_outlines(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """How several sets of numbers are spread: the share of each in bins of equal width."""
    along = np.array(chart.numbers.names[chart.numbers.dims[-1]], dtype=float)
    draw_lines(axes, chart, room, along, dots=False, steps=True)
    plain_axes(axes, room.theme, across=f"{chart.unit} (the outermost bins hold all beyond)", up="share of the numbers")
    count_off(axes.xaxis)
    count_off(axes.yaxis)
    add_legend(axes, chart, room)


def draw_race(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """The rank of each word after each layer, the first on top."""
    ranks, names = chart.numbers.array, chart.names(1)
    for i, (colour, dash) in enumerate(LINES[: len(names)]):
        look: Any = {"color": colour[room.theme], "linestyle": DASHES[dash], "marker": "."}
        axes.plot(np.arange(len(ranks)) - 1, ranks[:, i], label=shown(names[i]), linewidth=1, markersize=3.5, **look)
    plain_axes(axes, room.theme, across="after layer", up="rank")
    layers = len(ranks) - 1
    after = range(-1, layers, 1 + layers // 12)
    axes.set_xticks([*after], ["input" if i < 0 else str(i) for i in after])
    axes.set(yscale="log", ylim=(1.25 * max(2, int(ranks.max())), 0.8))
    count_off(axes.yaxis)
    names = [shown(name) for name in names]
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=beside(names, room), frameon=False, borderaxespad=0.2)


def draw_points(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Named points; a name is left out where it would lie on another one."""
    points, names, chosen = chart.numbers.array, chart.names(0), chart.look.get("chosen", -1)
    sizes, rings = ([each if i == chosen else other for i in range(len(names))] for each, other in ((36, 14), (1.2, 0)))
    axes.scatter(
        points[:, 0], points[:, 1], s=sizes, color=ACCENT[room.theme], edgecolors=INK[room.theme], linewidths=rings
    )
    titles = chart.look.get("titles")
    plain_axes(axes, room.theme, **dict(zip(("across", "up"), titles or (), strict=False)), grid=bool(titles))
    name_points(axes, points[:, :2], [shown(name) for name in names], points, room)
    if titles:
        count_off(axes.xaxis)
        count_off(axes.yaxis)
    else:
        axes.set(xticks=[], yticks=[])
        axes.set_aspect("equal", adjustable="datalim")
        axes.spines[:].set_visible(False)
    axes.margins(0.12)


SIDES = {
    "top center": ((0, 3), "center", "bottom"),
    "bottom center": ((0, -3), "center", "top"),
    "middle right": ((4, 0), "left", "center"),
    "middle left": ((-4, 0), "right", "center"),
}


def name_points(axes: Axes, points: np.ndarray, names: Sequence[str], spread: np.ndarray, room: Room) -> None:
    """Names beside points, each on a side where it lies on no other one."""
    letter = 0.6 * room.letters * POINT / LETTER  # mm of a pixel of the screen
    plane = (0.8 * room.wide / letter, 0.55 * room.wide / letter)
    sides = apart(points, [*names], np.ptp(spread.reshape(-1, spread.shape[-1])[:, :2], axis=0), plane)
    for (x, y), name, side in zip(points.tolist(), names, sides, strict=True):
        if side:
            offset, ha, va = SIDES[side]
            axes.annotate(name, (x, y), offset, textcoords="offset points", ha=ha, va=va)


def draw_paths(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """A line for each token through the layers, in a plane, with its name at the end."""
    points, names = chart.numbers.array, chart.names(1)
    ramp = np.asarray(palette("positive", room.theme)) / 255
    for i in range(len(names)):
        paint = ramp[60 + round(190 * i / max(1, len(names) - 1))]
        axes.plot(*points[:, i].T, color=paint, linewidth=1, marker=".", markersize=3)
    name_points(axes, points[-1], [shown(name, 12) for name in names], points, room)
    across, up = chart.look["titles"]
    plain_axes(axes, room.theme, across=across, up=up)
    count_off(axes.xaxis)
    count_off(axes.yaxis)
    axes.margins(0.12, 0.08)


def draw_links(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Lines from the looking tokens on the left to those looked at on the right, as thick as the weight."""
    weights, names, chosen = chart.numbers.array, labels(chart.names(0)), chart.look.get("chosen", [])
    strength = np.ceil(np.where(weights >= LEAST, weights, 0) * LEVELS).clip(0, LEVELS) / LEVELS
    ends = [(i, j) for i, j in np.argwhere(strength) if not chosen or i in chosen or j in chosen]
    strong = np.array([strength[end] for end in ends])
    paint = [(*ListedColormap([ACCENT[room.theme]])(0)[:3], 0.25 + 0.75 * each) for each in strong]
    axes.add_collection(
        LineCollection([[(0, i), (1, j)] for i, j in ends], linewidths=0.3 + 2.5 * strong, colors=paint)
    )
    for x, ha in ((-0.02, "right"), (1.02, "left")):
        for i, name in thinned(chart.names(0), high_links(chart, room, kind) / len(names), room).items():
            axes.text(x, i, name, ha=ha, va="center", weight="bold" if i in chosen else "normal")
    axes.set(xlim=(-0.5, 1.5), ylim=(len(names) - 0.5, -0.5))
    axes.axis("off")


def high_links(chart: Chart, room: Room, kind: str) -> float:
    """How high a picture of lines from token to token is."""
    return min(TALLEST, max(30.0, 1.35 * room.line * len(chart.names(0))))


def draw_units(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """The units of a token, before and after the activation, on its curve."""
    x, y = (array(side) for side in chart.look["curve"])
    axes.plot(x, y, color=MUTED[room.theme], linewidth=0.8)
    before, after = chart.numbers.array.T
    axes.scatter(before, after, s=5, color=ACCENT[room.theme], alpha=0.5, linewidths=0)
    axes.axvline(0, color=GRID[room.theme], linewidth=0.6)
    plain_axes(axes, room.theme, across="before the activation", up="after it")
    count_off(axes.xaxis)
    count_off(axes.yaxis)


def tone(css: str) -> tuple[float, ...] | str:
    """A colour as matplotlib takes it."""
    return tuple(int(part) / 255 for part in css[4:-1].split(",")) if css.startswith("rgb(") else css


def draw_areas(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Parameters as areas, with the number of each layer below its column."""
    areas = chart.look["areas"]
    boxes = rectangles(areas)
    for bars in bars_of(areas, boxes):
        axes.bar(
            bars.middles,
            bars.heights,
            bars.widths,
            bars.feet,
            label=bars.kind,
            color=tone(colour_of(bars.kind, room.theme)),
            edgecolor=BACKGROUND[room.theme],
            linewidth=0.4,
        )
    named = layer_names(areas, boxes)
    axes.set_xticks([x + width / 2 for _, x, width in named], [text.removeprefix("layer ") for text, _, _ in named])
    plain_axes(axes, room.theme, across="layer", grid=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set(yticks=[], xlim=(0, 1), ylim=(0, 1))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderaxespad=0.2)


# How each kind is drawn, and how high it is at a width.
CHARTS: dict[str, tuple[Callable[[Axes, Chart, Room, str], None], Callable[[Chart, Room, str], float]]] = {
    "matrix": (draw_maps, high_maps),
    "tiles": (draw_maps, high_maps),
    "maps": (draw_maps, high_maps),
    "words": (draw_words, high_words),
    "links": (draw_links, high_links),
    "bars": (draw_bars, high_chart),
    "terms": (draw_terms, high_chart),
    "signed bars": (draw_terms, high_chart),
    "curve": (draw_curve, high_chart),
    "outlines": (draw_outlines, high_chart),
    "race": (draw_race, high_chart),
    "points": (draw_points, high_chart),
    "paths": (draw_paths, high_chart),
    "units": (draw_units, high_chart),
    "areas": (draw_areas, high_chart),
}
