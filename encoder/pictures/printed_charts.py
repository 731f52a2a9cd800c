"""How standard charts are printed: bars, lines and points on matplotlib's axes; each says how many letters high."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from encoder.pictures.chart import Chart
from encoder.pictures.figures.areas import bars_of, colour_of, layer_names, rectangles
from encoder.pictures.figures.charts import below, first_terms, level, race_axes
from encoder.pictures.figures.scatter import LEAST, LETTER, LEVELS, apart
from encoder.pictures.numbers import array
from encoder.pictures.printed_plane import LINE, MOST_OF_NAME, Plane, colours, ink, of_sign, widest
from encoder.support.formatting import shown
from encoder.support.theme import LINES, TWO

BINS, COUNTS = 48, 0.3  # of the units of a token: how many bins count them, and how high these are beside the curve
DASHES = {"solid": "-", "dot": ":"}
NAMED = {  # points from a dot to its name, and which side of that is there
    "top center": ((0, 3), "above"),
    "bottom center": ((0, -3), "below"),
    "middle right": ((4, 0), "left"),
    "middle left": ((-4, 0), "right"),
}


def draw_bars(plane: Plane, chart: Chart) -> float:
    """A bar for each place, and one beside it for each series, told apart by colour, hatching and name."""
    count, x = len(chart.series), np.arange(chart.numbers.array.shape[-1])
    called, paints = [shown(name, MOST_OF_NAME) for name in chart.series], chart.look.get("paints", TWO)
    for i, (name, values, paint) in enumerate(zip(called, chart.series.values(), paints, strict=False)):
        look: Any = {"hatch": "////", "edgecolor": ink("page")} if i else {}
        middles = x + (i - (count - 1) / 2) * 0.75 / count
        plane.axes.bar(middles, values, 0.75 / count, label=name, color=ink(paint), linewidth=0, **look)
    if chart.look.get("logarithmic"):
        plane.axes.set_yscale("log")
        if span := below(chart.series).get("range"):
            plane.axes.set_ylim(10 ** span[0], 10 ** span[1])
    plane.framed(up=chart.look.get("title", chart.unit), counted="y")
    names = chart.names(-1)
    plane.name_bars([f"{at} {name}" for at, name in zip(chart.at, names, strict=True)] if chart.at else names)
    if count > 1:
        plane.legend()
    return plane.standard()


def draw_terms(plane: Plane, chart: Chart, *, first: bool = False) -> float:
    """Terms of a sum, those below zero in a colour of their own; of many the `first` and all others as one more."""
    values, names = chart.numbers.array, chart.names(0)
    if first:
        values, names = first_terms(values, chart.look.get("names") or names)
    plane.axes.bar(np.arange(len(values)), values, 0.75, color=[of_sign(value) for value in values])
    plane.axes.axhline(0, color=ink("muted"), linewidth=0.5)
    plane.framed(up="term", counted="y")
    plane.name_bars(names)
    return plane.standard()


def draw_lines(
    plane: Plane,
    x: np.ndarray,
    series: Mapping[str, np.ndarray],
    titles: tuple[str, str],
    logarithmic: tuple[bool, bool] = (False, False),
    frames: Sequence[Mapping[str, Any]] = ({}, {}),
    **look: Any,
) -> float:
    """A line for each series, told apart by colour, dash and name; `frames` are what Plotly is told of both axes."""
    axes: Any = plane.axes
    look = {"linewidth": 1, "markersize": 3.5, "marker": "."} | look
    called = [shown(name, MOST_OF_NAME) for name in series]
    for name, y, (colour, dash) in zip(called, series.values(), LINES, strict=False):
        axes.plot(x, y, label=name, color=colour["light"], linestyle=DASHES[dash], **look)
    if not logarithmic[1] and (span := level(np.concatenate([*map(np.ravel, series.values())])).get("range")):
        axes.set_ylim(span)
    axes.set(**{f"{side}scale": "log" for side, log in zip("xy", logarithmic, strict=True) if log})
    plane.framed(across=titles[0], up=titles[1])
    for side, axis, frame, log in zip("xy", (axes.xaxis, axes.yaxis), frames, logarithmic, strict=True):
        if "tickvals" in frame:
            axis.set_ticks(frame["tickvals"], frame.get("ticktext"))
        if "range" in frame:
            axes.set(**{f"{side}lim": [10**end for end in frame["range"]] if log else frame["range"]})
    if len(series) > 1:
        plane.legend()
    return plane.standard()


def draw_curve(plane: Plane, chart: Chart) -> float:
    """A line for each series over numbers, or over places that are counted from 0."""
    numbers = chart.numbers
    along = numbers.names.get(numbers.dims[-1], "")
    counted = isinstance(along, str) or any(isinstance(name, str) for name in along)
    x = np.arange(numbers.array.shape[-1]) if counted else np.array(along, dtype=float)
    look = {"titles": (numbers.dims[-1], chart.unit)} | dict(chart.look)
    if (mark := look.pop("mark", None)) is not None:
        plane.axes.axvline(mark, color=ink("muted"), linewidth=0.8)
    return draw_lines(plane, x, chart.series, **look)


def draw_outlines(plane: Plane, chart: Chart) -> float:
    """How several sets of numbers are spread: the share of each in bins of equal width."""
    along = np.array(chart.numbers.names[chart.numbers.dims[-1]], dtype=float)
    titles = f"{chart.unit} (the outermost bins hold all beyond)", "share of the numbers"
    return draw_lines(plane, along, chart.series, titles, marker="", drawstyle="steps-mid")


def draw_race(plane: Plane, chart: Chart) -> float:
    """The rank of each word after each layer, the first on top."""
    ranks = chart.numbers.array
    series = dict(zip(chart.names(1), ranks.T, strict=True))
    return draw_lines(plane, np.arange(len(ranks)) - 1, series, **race_axes(ranks))


def draw_points(plane: Plane, chart: Chart) -> float:
    """Named points; a name is left out where it would lie on another one."""
    points, names, chosen, axes = chart.numbers.array, chart.names(0), chart.look.get("chosen", -1), plane.axes
    is_chosen, titles = np.arange(len(names)) == chosen, chart.look.get("titles", ())
    ring: Any = {"edgecolors": ink("ink"), "linewidths": np.where(is_chosen, 1.2, 0)}
    axes.scatter(points[:, 0], points[:, 1], s=np.where(is_chosen, 36, 14), color=ink("accent"), **ring)
    plane.framed(**dict(zip(("across", "up"), titles, strict=False)))
    if not titles:
        axes.set(xticks=[], yticks=[])
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_frame_on(False)
    return name_points(plane, points[:, :2], [shown(name) for name in names], points)


def draw_paths(plane: Plane, chart: Chart) -> float:
    """A line for each token through the layers, in a plane, with its name at the end."""
    points, names, ramp = chart.numbers.array, chart.names(1), colours("positive")
    for i in range(len(names)):
        paint = ramp(60 + round(190 * i / max(1, len(names) - 1)))
        plane.axes.plot(*points[:, i].T, color=paint, linewidth=1, marker=".", markersize=3)
    plane.framed(**dict(zip(("across", "up"), chart.look["titles"], strict=True)))
    return name_points(plane, points[-1], [shown(name, 12) for name in names], points)


def name_points(plane: Plane, points: np.ndarray, names: Sequence[str], spread: np.ndarray) -> float:
    """Names beside points, each on a side where it lies on no other one; how high the plane is."""
    room = (0.8 * plane.wide * LETTER / 0.6, 0.55 * plane.wide * LETTER / 0.6)  # pixels of the screen
    sides = apart(points, [*names], np.ptp(spread.reshape(-1, spread.shape[-1])[:, :2], axis=0), room)
    for (x, y), name, side in zip(points.tolist(), names, sides, strict=True):
        if side:
            away, where = NAMED[side]
            plane.text(x, y, name, where, away=away)
    plane.axes.margins(0.12)
    return plane.standard(0.75)


def draw_links(plane: Plane, chart: Chart) -> float:
    """Lines from the looking tokens on the left to those looked at on the right, as thick as the weight."""
    weights, names, chosen = chart.numbers.array, chart.names(0), chart.look.get("chosen", [])
    strength = np.ceil(np.where(weights >= LEAST, weights, 0) * LEVELS).clip(0, LEVELS) / LEVELS
    ends = [(i, j) for i, j in np.argwhere(strength) if not chosen or i in chosen or j in chosen]
    strong = np.array([strength[end] for end in ends])
    paint = [(*to_rgb(ink("accent")), 0.25 + 0.75 * each) for each in strong]
    look: Any = {"linewidths": 0.3 + 2.5 * strong, "colors": paint}
    plane.axes.add_collection(LineCollection([[(0, i), (1, j)] for i, j in ends], **look))
    high = min(plane.wide, max(10.0, 1.35 * LINE * len(names)))
    for x, side in ((-0.02, "right"), (1.02, "left")):
        for i, name in plane.thinned(names, high / len(names)).items():
            plane.text(x, i, name, side, weight="bold" if i in chosen else "normal")
    plane.axes.set(xlim=(-0.5, 1.5), ylim=(len(names) - 0.5, -0.5))
    plane.axes.axis("off")
    return high


def draw_units(plane: Plane, chart: Chart) -> float:
    """The units of a token, before and after the activation, on its curve; below it how many have which number."""
    axes, (before, after) = plane.axes, chart.numbers.array.T
    fires, (x, y) = after > 0, (array(side) for side in chart.look["curve"])
    axes.plot(x, y, color=ink("muted"), linewidth=0.8)
    for some, name in ((~fires, "muted"), (fires, "accent")):
        axes.scatter(before[some], after[some], s=5, color=ink(name), alpha=0.5, linewidths=0)
    axes.axvline(0, color=ink("grid"), linewidth=0.6)
    low, tall = min(0.0, float(after.min())), float(np.ptp(after)) or 1.0
    top, foot = low + 1.05 * tall, low - COUNTS * tall
    counts, sides = np.histogram(before, BINS)
    paints = [ink("accent" if middle > 0 else "muted") for middle in (sides[1:] + sides[:-1]) / 2]
    heights = counts * (COUNTS - 0.06) * tall / counts.max()
    axes.bar(sides[:-1], heights, np.diff(sides), foot, align="edge", color=paints, alpha=0.55, linewidth=0)
    (left, right), (silent, active), high = axes.get_xlim(), chart.look["sides"], plane.standard(0.5)
    clear: Any = {"bbox": {"facecolor": ink("page"), "edgecolor": "none", "alpha": 0.8, "pad": 0.5}}
    for some, what, at, side, paint in (
        (~fires, silent, left, "over", "muted"),
        (fires, active, right, "over right", "accent"),
    ):
        count = f"{int(some.sum()):,} {what}"
        if some.any() and widest([count]) < abs(at) / (right - left) * plane.wide:
            plane.text(at, 0.1 * tall, count, side, paint, weight="bold", **clear)
    chosen = chart.look["chosen"]
    across, up = before[chosen], after[chosen]
    axes.plot([left, across, across], [up, up, foot], color=ink("ink"), linewidth=0.8, linestyle=(0, (3, 3)))
    axes.plot(across, up, "o", color=ink("ink"), markersize=4)
    taken: list[float] = []
    for unit in dict.fromkeys((chosen, *chart.look["named"])):
        y_letters = after[unit] / (top - foot) * high
        if all(abs(y_letters - other) > LINE for other in taken):
            plane.text(before[unit], after[unit], f"unit {unit}", "right", away=(-4, 0), **clear)
            taken.append(y_letters)
    axes.set(xlim=(left, right), ylim=(foot, top), yticks=[tick for tick in axes.get_yticks() if low <= tick <= top])
    plane.framed(across="before the activation", up="after it")
    return high


def draw_areas(plane: Plane, chart: Chart) -> float:
    """Parameters as areas, with the number of each layer below its column."""
    areas, axes = chart.look["areas"], plane.axes
    boxes = rectangles(areas)
    edge: Any = {"edgecolor": ink("page"), "linewidth": 0.4}
    for bars in bars_of(areas, boxes):
        css = colour_of(bars.kind, "light")  # a hexadecimal number, or "rgb(1, 2, 3)"
        paint: Any = css if css.startswith("#") else tuple(int(part) / 255 for part in css[4:-1].split(","))
        axes.bar(bars.middles, bars.heights, bars.widths, bars.feet, label=bars.kind, color=paint, **edge)
    named = layer_names(areas, boxes)
    middles = [x + width / 2 for _, x, width in named]
    axes.set_xticks(middles, [text.removeprefix("layer ") for text, _, _ in named])
    axes.set(xlabel="layer", yticks=[], xlim=(0, 1), ylim=(0, 1))
    plane.bare()
    plane.legend()
    return plane.standard()
