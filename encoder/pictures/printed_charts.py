"""How standard charts are printed: bars, lines and points on matplotlib's axes. Each returns how high it is, in mm."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from encoder.pictures.chart import Chart
from encoder.pictures.figures.areas import bars_of, colour_of, layer_names, rectangles
from encoder.pictures.figures.charts import below, first_terms, level
from encoder.pictures.figures.scatter import LEAST, LETTER, LEVELS, apart
from encoder.pictures.numbers import array
from encoder.pictures.printed_plane import MOST_OF_NAME, POINT, SIDES, Plane
from encoder.support.formatting import shown
from encoder.support.theme import LINES, TWO, labels

TALLEST = 200.0  # mm of all cells of a picture
BINS, COUNTS = 48, 0.3  # of the units of a token: how many bins count them, and how high these are beside the curve
DASHES = {"solid": "-", "dot": ":"}
NAMED = {  # points from a dot to its name, and which side of that is there
    "top center": ((0, 3), "above"),
    "bottom center": ((0, -3), "below"),
    "middle right": ((4, 0), "left"),
    "middle left": ((-4, 0), "right"),
}


def names_of(chart: Chart) -> list[str]:
    """The names of the series of a picture that has several."""
    return [shown(name, MOST_OF_NAME) for name in chart.series] if len(chart.series) > 1 else []


def draw_bars(plane: Plane, chart: Chart) -> float:
    """A bar for each place, and one beside it for each series, told apart by colour, hatching and name."""
    count, x = len(chart.series), np.arange(chart.numbers.array.shape[-1])
    paints = map(plane.ink, chart.look.get("paints", TWO))
    for i, ((name, values), paint) in enumerate(zip(chart.series.items(), paints, strict=False)):
        look: Any = {"hatch": "////", "edgecolor": plane.ink("page")} if i else {}
        middles = x + (i - (count - 1) / 2) * 0.75 / count
        plane.axes.bar(middles, values, 0.75 / count, label=shown(name, MOST_OF_NAME), color=paint, linewidth=0, **look)
    plane.framed(up=chart.look.get("title", chart.unit))
    if chart.look.get("logarithmic"):
        plane.axes.set_yscale("log")
        if span := below(chart.series).get("range"):
            plane.axes.set_ylim(10 ** span[0], 10 ** span[1])
    plane.counted("y")
    at, names = chart.at, chart.names(-1)
    plane.name_bars([f"{at[i]} {name}" for i, name in enumerate(names)] if at else names)
    return plane.standard(names_of(chart), below=names)


def draw_terms(plane: Plane, chart: Chart, *, first: bool = False) -> float:
    """Terms of a sum, those below zero in a colour of their own; of many the `first` and all others as one more."""
    values, names = chart.numbers.array, chart.names(0)
    if first:
        values, names = first_terms(values, chart.look.get("names") or names)
    plane.axes.bar(np.arange(len(values)), values, 0.75, color=[plane.of_sign(value) for value in values])
    plane.axes.axhline(0, color=plane.ink("muted"), linewidth=0.5)
    plane.framed(up="term")
    plane.counted("y")
    plane.name_bars(names)
    return plane.standard([], below=chart.names(-1))


def draw_lines(plane: Plane, x: np.ndarray, series: Iterable[tuple[str, np.ndarray]], **look: Any) -> None:
    """A line for each series, told apart by colour, dash and name."""
    look = {"linewidth": 1, "markersize": 3.5, "marker": "."} | look
    for (name, y), (colour, dash) in zip(series, LINES, strict=False):
        each: Any = {"color": colour[plane.theme], "linestyle": DASHES[dash]} | look
        plane.axes.plot(x, y, label=shown(name, MOST_OF_NAME), **each)


def draw_curve(plane: Plane, chart: Chart) -> float:
    """A line for each series over numbers, or over places that are counted from 0."""
    numbers, look, axes = chart.numbers, chart.look, plane.axes
    along = numbers.names.get(numbers.dims[-1], "")
    counted = isinstance(along, str) or any(isinstance(name, str) for name in along)
    x = np.arange(numbers.array.shape[-1]) if counted else np.array(along, dtype=float)
    draw_lines(plane, x, chart.series.items())
    across, up = look.get("titles", (numbers.dims[-1], chart.unit))
    plane.framed(across=across, up=up)
    logs = look.get("logarithmic", (False, False))
    axes.set(**{f"{side}scale": "log" for side, log in zip("xy", logs, strict=True) if log})
    if not logs[1] and (span := level(np.ravel(numbers.array)).get("range")):
        axes.set_ylim(span)
    plane.counted("x", "y")
    for side, frame, log in zip("xy", look.get("frames", ({}, {})), logs, strict=True):
        if "tickvals" in frame:
            (axes.xaxis if side == "x" else axes.yaxis).set_ticks(frame["tickvals"], frame.get("ticktext"))
        if "range" in frame:
            axes.set(**{f"{side}lim": [10**end for end in frame["range"]] if log else frame["range"]})
    return plane.standard(names_of(chart))


def draw_outlines(plane: Plane, chart: Chart) -> float:
    """How several sets of numbers are spread: the share of each in bins of equal width."""
    along = np.array(chart.numbers.names[chart.numbers.dims[-1]], dtype=float)
    draw_lines(plane, along, chart.series.items(), marker="", drawstyle="steps-mid")
    plane.framed(across=f"{chart.unit} (the outermost bins hold all beyond)", up="share of the numbers")
    plane.counted("x", "y")
    return plane.standard(names_of(chart))


def draw_race(plane: Plane, chart: Chart) -> float:
    """The rank of each word after each layer, the first on top."""
    ranks, names = chart.numbers.array, [shown(name) for name in chart.names(1)]
    draw_lines(plane, np.arange(len(ranks)) - 1, zip(names, ranks.T, strict=True))
    plane.framed(across="after layer", up="rank")
    after = range(-1, len(ranks) - 1, 1 + (len(ranks) - 1) // 12)
    plane.axes.set_xticks([*after], ["input" if i < 0 else str(i) for i in after])
    plane.axes.set(yscale="log", ylim=(1.25 * max(2, int(ranks.max())), 0.8))
    plane.counted("y")
    return plane.standard(names)


def draw_points(plane: Plane, chart: Chart) -> float:
    """Named points; a name is left out where it would lie on another one."""
    points, names, chosen, axes = chart.numbers.array, chart.names(0), chart.look.get("chosen", -1), plane.axes
    is_chosen, titles = np.arange(len(names)) == chosen, chart.look.get("titles", ())
    ring: Any = {"edgecolors": plane.ink("ink"), "linewidths": np.where(is_chosen, 1.2, 0)}
    axes.scatter(points[:, 0], points[:, 1], s=np.where(is_chosen, 36, 14), color=plane.ink("accent"), **ring)
    plane.framed(**dict(zip(("across", "up"), titles, strict=False)), grid=bool(titles))
    name_points(plane, points[:, :2], [shown(name) for name in names], points)
    if titles:
        plane.counted("x", "y")
    else:
        axes.set(xticks=[], yticks=[])
        axes.set_aspect("equal", adjustable="datalim")
        axes.spines[:].set_visible(False)
    axes.margins(0.12)
    return plane.standard([], 0.75)


def name_points(plane: Plane, points: np.ndarray, names: Sequence[str], spread: np.ndarray) -> None:
    """Names beside points, each on a side where it lies on no other one."""
    letter = 0.6 * plane.letters * POINT / LETTER  # mm of a pixel of the screen
    room = (0.8 * plane.wide / letter, 0.55 * plane.wide / letter)
    sides = apart(points, [*names], np.ptp(spread.reshape(-1, spread.shape[-1])[:, :2], axis=0), room)
    for (x, y), name, side in zip(points.tolist(), names, sides, strict=True):
        if side:
            offset, where = NAMED[side]
            ha, va = SIDES[where]
            plane.axes.annotate(name, (x, y), offset, textcoords="offset points", ha=ha, va=va)


def draw_paths(plane: Plane, chart: Chart) -> float:
    """A line for each token through the layers, in a plane, with its name at the end."""
    points, names, ramp = chart.numbers.array, chart.names(1), plane.colours("positive")
    for i in range(len(names)):
        paint = ramp(60 + round(190 * i / max(1, len(names) - 1)))
        plane.axes.plot(*points[:, i].T, color=paint, linewidth=1, marker=".", markersize=3)
    name_points(plane, points[-1], [shown(name, 12) for name in names], points)
    plane.framed(**dict(zip(("across", "up"), chart.look["titles"], strict=True)))
    plane.counted("x", "y")
    plane.axes.margins(0.12, 0.08)
    return plane.standard([], 0.75)


def draw_links(plane: Plane, chart: Chart) -> float:
    """Lines from the looking tokens on the left to those looked at on the right, as thick as the weight."""
    weights, names, chosen = chart.numbers.array, labels(chart.names(0)), chart.look.get("chosen", [])
    strength = np.ceil(np.where(weights >= LEAST, weights, 0) * LEVELS).clip(0, LEVELS) / LEVELS
    ends = [(i, j) for i, j in np.argwhere(strength) if not chosen or i in chosen or j in chosen]
    strong = np.array([strength[end] for end in ends])
    paint = [(*to_rgb(plane.ink("accent")), 0.25 + 0.75 * each) for each in strong]
    look: Any = {"linewidths": 0.3 + 2.5 * strong, "colors": paint}
    plane.axes.add_collection(LineCollection([[(0, i), (1, j)] for i, j in ends], **look))
    high = min(TALLEST, max(30.0, 1.35 * plane.line * len(names)))
    for x, side in ((-0.02, "right"), (1.02, "left")):
        for i, name in plane.thinned(chart.names(0), high / len(names)).items():
            plane.text(x, i, name, side, weight="bold" if i in chosen else "normal")
    plane.axes.set(xlim=(-0.5, 1.5), ylim=(len(names) - 0.5, -0.5))
    plane.axes.axis("off")
    return high


def draw_units(plane: Plane, chart: Chart) -> float:
    """The units of a token, before and after the activation, on its curve; below it how many have which number."""
    axes, (before, after) = plane.axes, chart.numbers.array.T
    fires, (x, y) = before > 0, (array(side) for side in chart.look["curve"])
    axes.plot(x, y, color=plane.ink("muted"), linewidth=0.8)
    for some, name in ((~fires, "muted"), (fires, "accent")):
        axes.scatter(before[some], after[some], s=5, color=plane.ink(name), alpha=0.5, linewidths=0)
    axes.axvline(0, color=plane.ink("grid"), linewidth=0.6)
    low, tall = min(0.0, float(after.min())), float(np.ptp(after)) or 1.0
    top, foot = low + 1.05 * tall, low - COUNTS * tall
    counts, sides = np.histogram(before, BINS)
    paints = [plane.ink("accent" if middle > 0 else "muted") for middle in (sides[1:] + sides[:-1]) / 2]
    heights = counts * (COUNTS - 0.06) * tall / counts.max()
    axes.bar(sides[:-1], heights, np.diff(sides), foot, align="edge", color=paints, alpha=0.55, linewidth=0)
    (left, right), (silent, active) = axes.get_xlim(), chart.look["sides"]
    clear: Any = {"bbox": {"facecolor": plane.ink("page"), "edgecolor": "none", "alpha": 0.8, "pad": 0.5}}
    for some, what, at, side, paint in (
        (~fires, silent, (left, 0), "over", "muted"),
        (fires, active, (right, 0), "right above", "accent"),
    ):
        count = f"{int(some.sum()):,} {what}"
        if some.any() and plane.width([count]) < abs(at[0]) / (right - left) * plane.wide:
            plane.text(at[0], 0.1 * tall, count, side, paint, weight="bold", **clear)
    taken: list[float] = []
    for unit in chart.look["named"]:
        y_mm = after[unit] / (top - foot) * 0.45 * plane.wide
        if all(abs(y_mm - other) > plane.line for other in taken):
            plane.text(before[unit] - 0.015 * (right - left), after[unit], f"unit {unit}", "right", **clear)
            taken.append(y_mm)
    axes.set(xlim=(left, right), ylim=(foot, top), yticks=[tick for tick in axes.get_yticks() if low <= tick <= top])
    plane.framed(across="before the activation", up="after it")
    plane.counted("x", "y")
    return plane.standard([], 0.5)


def tone(css: str) -> tuple[float, ...] | str:
    """A colour as matplotlib takes it."""
    return tuple(int(part) / 255 for part in css[4:-1].split(",")) if css.startswith("rgb(") else css


def draw_areas(plane: Plane, chart: Chart) -> float:
    """Parameters as areas, with the number of each layer below its column."""
    areas = chart.look["areas"]
    boxes = rectangles(areas)
    edge: Any = {"edgecolor": plane.ink("page"), "linewidth": 0.4}
    for bars in bars_of(areas, boxes):
        paint = tone(colour_of(bars.kind, plane.theme))
        plane.axes.bar(bars.middles, bars.heights, bars.widths, bars.feet, label=bars.kind, color=paint, **edge)
    named = layer_names(areas, boxes)
    middles = [x + width / 2 for _, x, width in named]
    plane.axes.set_xticks(middles, [text.removeprefix("layer ") for text, _, _ in named])
    plane.framed(across="layer", grid=False)
    plane.bare()
    plane.axes.set(yticks=[], xlim=(0, 1), ylim=(0, 1))
    plane.axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderaxespad=0.2)
    return plane.standard([])


CHARTS: dict[str, Callable[[Plane, Chart], float]] = {
    "links": draw_links,
    "bars": draw_bars,
    "terms": partial(draw_terms, first=True),
    "signed bars": draw_terms,
    "curve": draw_curve,
    "outlines": draw_outlines,
    "race": draw_race,
    "points": draw_points,
    "paths": draw_paths,
    "units": draw_units,
    "areas": draw_areas,
}
