"""How maps are printed: cells in colours with their numbers, names along the sides, and a scale beside them."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.colors import Normalize

from encoder.pictures.chart import Chart, maps_of, scale_of
from encoder.pictures.printed_plane import LEAST_LETTERS, LINE, CellTexts, Plane, colours, ink, whole_percent, widest
from encoder.support.formatting import brief, in_cell, points_lost, shown, signed, tight, whole
from encoder.support.theme import Kind, limits

MOST_SHAPES = 2_500  # cells that are shapes of their own; more are pixels
PIXELS = 150  # along a side of a map of pixels, at least
MOST_NUMBERS = 700  # cells that have their number within, where it has room, as on the screen
SCALE = 5.0  # letters for a colour scale and its numbers
LARGEST, HIGHEST = 2.5, 2.0  # letters along a side of a cell, and of one of many that have no names
WORDS_HIGH = 2.75  # letters of a cell that has a word and its number
SAYS = 0.05  # from which on a part has its number


def end(value: float) -> str:
    """A number beside a scale, as the screen writes its ends."""
    return tight(brief(value))


def three_digits(value: float) -> str:
    """A number as it stands in a cell: two digits after the point up to ten, else three digits."""
    return whole(value, 2) if abs(value) < 10 else end(value)


# How the numbers of a picture are written in its cells where they are neither shares nor points.
WRITTEN: dict[str, Callable[[float], str]] = {
    "": three_digits,
    "tenths": lambda value: whole(value, abs(value) < 100),
    "signed tenths": lambda value: signed(value, 1) if abs(value) >= SAYS else "",
    "large tenths": lambda value: whole(value, 1) if abs(value) >= SAYS else "",
    "percent": in_cell,
    "large percent": lambda value: whole(100 * value) if abs(value) >= SAYS else "",
}


def in_points(chart: Chart) -> Callable[[float], str]:
    """How a chart writes what is lost of a share: in points as both shares are told, or else in percents."""
    share = chart.look.get("points_of")
    return lambda cost: whole(100 * cost) if share is None else points_lost(share, share - cost)


def writers(chart: Chart) -> tuple[Callable[[float], str], Callable[[float], str]]:
    """How the numbers of a map are written, in its cells and beside its scale."""
    if "points_of" in chart.look:
        points = in_points(chart)
        return lambda cost: text if (text := points(cost)).strip("0.") else "·", lambda tick: whole(100 * tick)
    if chart.look.get("kinds", chart.values) == "share":
        return in_cell, whole_percent
    written = chart.look.get("written", "")
    return WRITTEN[written], whole_percent if written == "large percent" else end


def draw_cells(
    plane: Plane,
    values: np.ndarray,
    paint: tuple[Kind, float, float],
    size: tuple[float, float],
    texts: Sequence[Sequence[str]] = (),
    at: tuple[float, float] = (0, 0),
    shapes: bool = True,
) -> Any:
    """Cells in colours whose number is the unit of the plane, the first row and column `at`.

    A text stands in each, all of one size, where all have room in cells so many letters wide and high; what is no
    finite number stays blank.
    """
    (top, left), (n, m), (wide, high), (kind, low, most) = at, values.shape, size, paint
    cells = np.ma.masked_invalid(values)
    drawn: Any
    look: Any = {"cmap": colours(kind), "norm": Normalize(low, most)}
    if shapes:
        sides = left + np.arange(m + 1), top + np.arange(n + 1)
        drawn = plane.axes.pcolormesh(*sides, cells, edgecolors="face", linewidth=0.1, in_layout=False, **look)
    else:
        times = max(1, math.ceil(PIXELS / max(n, m)))  # readers of PDF would blur fewer
        fine, extent = cells.repeat(times, 0).repeat(times, 1), (left, left + m, top + n, top)
        drawn = plane.axes.imshow(fine, extent=extent, interpolation="none", aspect="auto", **look)
    plane.box(left, top, m, n, "none", edgecolor=ink("grid"), linewidth=0.4, clip_on=False)
    lines = [line for row in texts for text in row for line in text.split("\n")]
    down = 1 + max((text.count("\n") for row in texts for text in row), default=0)
    points = min(6.5, plane.letters * min(0.9 * wide / (widest(lines) or 1), 0.75 * high / down))
    if texts and points >= LEAST_LETTERS:
        light = drawn.to_rgba(np.nan_to_num(values, neginf=0.0))[..., :3] @ [0.299, 0.587, 0.114]
        inks = np.where(np.isfinite(values) & (light < 0.45), ink("page"), ink("ink"))
        places = [(left + j + 0.5, top + i + 0.5) for i, j in np.ndindex(n, m)]
        plane.axes.add_artist(CellTexts(places, [text for row in texts for text in row], inks.ravel().tolist(), points))
    return drawn


def add_scale(
    plane: Plane, drawn: Any, shape: tuple[float, float], size: tuple[float, float], written: Callable[[float], str]
) -> None:
    """The colour scale beside so many rows and columns of cells, with the numbers at its ends and between."""
    (low, most), (rows, columns), (wide, high) = drawn.get_clim(), shape, size
    look: Any = {"cmap": drawn.cmap, "norm": drawn.norm, "interpolation": "none", "aspect": "auto", "clip_on": False}
    extent = (columns + 0.5 / wide, columns + 1.3 / wide, rows, 0)
    plane.axes.imshow(np.linspace(most, low, 255)[:, None], extent=extent, **look)
    for tick in np.linspace(low, most, 5 if rows * high > 8 else 3).tolist():
        at = columns + 1.6 / wide, rows * (most - tick) / ((most - low) or 1)
        plane.axes.text(*at, written(tick), color=ink("muted"), va="center")
    plane.axes.set(xlim=(0, columns), ylim=(rows, 0), aspect=high / wide)


def draw_maps(plane: Plane, chart: Chart, *, kind: str = "matrix") -> float:
    """Maps with their names, the colour scale beside them, and a number in every cell where all have room."""
    maps, look, axes, (in_cells, at_scale) = maps_of(chart, kind), chart.look, plane.axes, writers(chart)
    rows, columns = chart.names(-2), chart.numbers.along(chart.numbers.dims[-1])
    (n, m), named, count, longest = maps[0].values.shape, isinstance(columns, list), len(maps), look.get("longest", 14)
    usual = math.ceil(count**0.5) if kind == "maps" else 4 if named else 2
    across = min(count, look.get("columns") or look.get("across") or usual)
    down, title, between = math.ceil(count / across), 1.5 * any(small.title for small in maps), 0.5 * (across > 1)
    side = widest([shown(name, longest) for name in rows])
    free = (max(8.0, plane.wide - side - 2 - SCALE) - between * (across - 1)) / (across * m)
    most = (1.2 * plane.wide - down * title) / (down * n)
    high = max(0.02, min(free, most, LARGEST) if named else min(HIGHEST, most))
    wide = high if named else free
    tops, lefts = np.arange(down) * (n + (title + 0.25) / high), np.arange(across) * (m + between / wide)
    scales = {scale_of(small, chart) for small in maps}
    for i, small in enumerate(maps):
        (top, left), paint = (tops[i // across], lefts[i % across]), scale_of(small, chart)
        texts = [[in_cells(float(x)) if np.isfinite(x) else "" for x in row] for row in small.coloured]
        numbered = small.values.size * count <= MOST_NUMBERS and not look.get("bare")
        shapes = small.values.size * count <= MOST_SHAPES
        drawn = draw_cells(plane, small.coloured, paint, (wide, high), texts if numbered else (), (top, left), shapes)
        text = small.title if len(scales) == 1 else f"{small.title} ({end(paint[1])} to {end(paint[2])})"
        points = min(1.0, m * wide / max(widest([text]), 1)) * plane.letters
        if text and points >= LEAST_LETTERS:
            plane.text(left + m / 2, top, text, "above", away=(0, 1.5), size=points)
    for row, column in look.get("framed", ()):
        plane.box(column, row, 1, 1, "none", edgecolor=ink("ink"), linewidth=1.2, zorder=3, clip_on=False)
    end_of, size = (tops[-1] + n, lefts[-1] + m), (wide, high)
    axes.set(xlim=(0, end_of[1]), ylim=(end_of[0], 0), aspect=high / wide)
    if len(scales) == 1:
        add_scale(plane, drawn, end_of, size, at_scale)
    # Named even where not all have room: what it is about, or else the row and column of the strongest cell.
    sizes = np.max([np.where(np.isfinite(small.coloured), np.abs(small.coloured), -1.0) for small in maps], 0)
    row, column = look.get("subject") or divmod(int(sizes.argmax()), m)
    few, names = 3 * (count > 1), plane.thinned(rows, high, [row])
    at = chart.at if chart.at and len(chart.at) == n > len(names) else None
    called = [shown(f"{at[i]} {rows[i]}" if at else rows[i], longest + 4 * (len(names) < n)) for i in names]
    heads = plane.thinned(columns, wide, [column]) if isinstance(columns, list) else dict[int, str]()
    if not named and across == 1:
        heads = {j: str(j) for j in range(0, m, int(float(f"{max(1, m // 4):.1g}")))}
    look_of_names: Any = {"color": ink("muted")}  # as texts: ticks take matplotlib four times as long
    for top in tops if len(names) >= few else ():
        for i, name in zip(names, called, strict=True):
            axes.text(-0.4 / wide, top + i + 0.5, name, ha="right", va="center", **look_of_names)
    under = bool(title) or not named
    for left in lefts if len(heads) >= few else ():
        for j, name in heads.items():
            at_end, where = (end_of[0] + 0.4 / high, "top") if under else (-0.4 / high, "bottom")
            axes.text(left + j + 0.5, at_end, name, ha="center", va=where, rotation=90 * named, **look_of_names)
    axes.set(xticks=[], yticks=[])
    axes.set_ylabel(look.get("row_title", ""), labelpad=widest(called) * plane.letters + 6)
    room = widest([*heads.values()]) if named else LINE
    axes.set_xlabel(
        look.get("column_title") or ("" if isinstance(columns, list) else columns),
        labelpad=room * plane.letters * under + 6,
    )
    plane.bare()
    return float((tops[-1] + n) * high)


def draw_words(plane: Plane, chart: Chart) -> float:
    """The likeliest words in cells, a row for each token; layers go from left to right, as along a line.

    With a `path` a line goes from layer to layer through the cells of the word that is followed, or, where that is not
    among the likeliest, through a last row that tells where it stands.
    """
    along, axes, look = chart.numbers.dims[0] == "after", plane.axes, chart.look
    values, words = chart.numbers.array, np.array(chart.numbers.words)
    ranks, names = [f"{i + 1}." for i in range(values.shape[1])], [shown(name) for name in chart.names(0)]
    rows, columns, values, words = (ranks, names, values.T, words.T) if along else (names, ranks, values, words)
    written, at_scale = (whole_percent, whole_percent) if chart.values == "share" else (three_digits, end)
    path = look.get("path", ())
    rows = [*rows, *[f"rank of {as_piece(look.get('followed', ''))}"] * bool(path)]
    size = (plane.wide - widest(rows) - 3 - SCALE) / len(columns), WORDS_HIGH

    def fitted(word: str) -> str:
        """The beginning of a word that has room at the least size of letters."""
        text, most = as_piece(shown(word, 12)), 0.88 * size[0] * plane.letters / LEAST_LETTERS
        shorter = (f"{text[:n]}…" for n in range(len(text) - 1, 0, -1))
        return text if widest([text]) <= most else next((cut for cut in shorter if widest([cut]) <= most), "…")

    texts = [
        [f"{fitted(word)}\n{written(value)}" for word, value in zip(*row, strict=True)]
        for row in zip(words.tolist(), values.tolist(), strict=True)
    ]
    paint = (chart.values, *limits(chart.values, float(np.abs(values).max(initial=0.0))))
    if path:
        texts.append([f"{rank:,}\n{written(share)}" for rank, share in look["standing"]])
        values = np.vstack([values, np.full(len(columns), np.nan)])
    drawn = draw_cells(plane, values, paint, size, texts)
    for i, row in enumerate(path):
        plane.box(i + 0.04, row + 0.06, 0.92, 0.88, "none", edgecolor=ink("second"), linewidth=1.2, zorder=3)
    for i, (row, to) in enumerate(pairwise(path)):
        sides = [(i + 0.96, row + 0.5), (i + 1, row + 0.5), (i + 1, to + 0.5), (i + 1.04, to + 0.5)]
        plane.curve(sides, [1, 4, 4, 4], ink("second"), linewidth=1.2, zorder=3)
    add_scale(plane, drawn, (len(rows), len(columns)), size, at_scale)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=90 if widest(columns) > 0.9 * size[0] else 0)
    up, under = ("rank", look.get("row_title", "")) if along else (look.get("row_title", "position"), "")
    axes.set(ylabel=up, xlabel=under)
    axes.tick_params(labeltop=True, labelbottom=False)
    plane.bare()
    return len(rows) * WORDS_HIGH


def as_piece(word: str) -> str:
    """A word as it is told: a piece that goes on a word begins with dots."""
    return f"…{word[2:]}" if word.startswith("##") and len(word) > 2 else word
