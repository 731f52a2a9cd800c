"""Bars and lines of a printed figure: Plotly's own marks, drawn as vectors."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogFormatterMathtext, LogLocator, MaxNLocator, NullFormatter, NullLocator, ScalarFormatter

from encoder.pictures.paper.printed_panel import Panel, spelled, without_tags
from encoder.pictures.paper.type import drawable
from encoder.support.errors import EncoderError
from encoder.support.theme import ACCENT, BACKGROUND, GRID, INK, MUTED, SECOND, Theme, palette

PIXEL = 0.5  # points of a line in print for each pixel on the screen
DASHES = {"solid": "-", "dot": ":", "dash": "--", "dashdot": "-."}
SIDES = {"left": "right", "right": "left", "center": "center"}  # where a text stands, and how it is anchored there
Colours = dict[str, str]


@cache
def translated(source: Theme, target: Theme) -> Colours:
    """The colours of one theme, and what they are in the other."""
    pairs = {names[source]: names[target] for names in (ACCENT, SECOND, INK, MUTED, BACKGROUND, GRID)}
    for kind in ("positive", "signed"):
        ramps = (palette(kind, theme) for theme in (source, target))
        pairs |= {rgb(ours): rgb(other) for ours, other in zip(*ramps, strict=True)}
    return pairs


def rgb(colour: Sequence[int]) -> str:
    """A colour as Plotly spells it."""
    return "rgb({},{},{})".format(*colour)


def hexadecimal(colour: Any, colours: Colours) -> Any:
    """A colour, or one for each mark, for matplotlib."""
    if isinstance(colour, list | tuple | np.ndarray):
        return [hexadecimal(each, colours) for each in colour]
    value = colours.get(str(colour), str(colour))
    if value.startswith("rgb("):
        return "#" + "".join(f"{int(part):02x}" for part in value[4:-1].split(","))
    return value


def draw_chart(axes: Axes, panel: Panel, theme: Theme, points: float, ticks: int) -> None:
    """Draw a panel's marks in its frame; an axis of numbers has about so many of them."""
    frame, colours = panel.frame or {}, translated(panel.theme, theme)
    style(axes, theme, points)
    for name, scale in (("xaxis", axes.set_xscale), ("yaxis", axes.set_yscale)):
        marks = panel.marks if frame.get(name, {}).get("type") == "log" else ()
        if any((np.asarray(mark[name[0]], dtype=float) > 0).any() for mark in marks):  # else there is no logarithm
            scale("log")
    bars = [mark for mark in panel.marks if mark["type"] == "bar"]
    for mark in panel.marks:
        if mark["type"] == "bar":
            draw_bars(axes, mark, bars.index(mark), len(bars), colours, float(frame.get("bargap", 0.2)))
        elif mark["type"] == "scatter":
            draw_scatter(axes, mark, colours, theme, points)
        else:
            raise EncoderError(f"a mark is a {mark['type']}; it must be a bar or a scatter")
    for name, axis in (("x", frame.get("xaxis", {})), ("y", frame.get("yaxis", {}))):
        tick_axis(axes, name, axis, points, colours, ticks)
    if frame.get("showlegend") and any(mark.get("name") for mark in panel.marks):
        legend = axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=2,
            frameon=False,
            fontsize=points,
            borderpad=0,
            handlelength=1.6,
            columnspacing=1.2,
            borderaxespad=0.3,
            labelcolor=INK[theme],
        )
        legend.set_in_layout(True)


def style(axes: Axes, theme: Theme, points: float) -> None:
    """Thin lines, small letters, no frame."""
    axes.set_facecolor("none")
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(MUTED[theme])
        spine.set_linewidth(0.5)
    axes.tick_params(colors=MUTED[theme], labelcolor=INK[theme], labelsize=points, width=0.5, length=2, pad=1.5)
    axes.xaxis.label.set_color(INK[theme])
    axes.yaxis.label.set_color(INK[theme])
    axes.set_axisbelow(True)


def tick_axis(axes: Axes, name: str, axis: dict[str, Any], points: float, colours: Colours, ticks: int) -> None:
    """Range, names and title as on the screen."""
    own = axes.xaxis if name == "x" else axes.yaxis
    logarithmic = own.get_scale() == "log"
    if (ends := axis.get("range")) is not None and logarithmic == (axis.get("type") == "log"):
        ends = [10.0**end for end in ends] if logarithmic else ends
        (axes.set_xlim if name == "x" else axes.set_ylim)(*ends)
    if axis.get("autorange") == "reversed":
        own.set_inverted(True)
    if axis.get("visible") is False or axis.get("showticklabels") is False:
        own.set_major_locator(NullLocator())
        own.set_minor_locator(NullLocator())
        axes.spines["bottom" if name == "x" else "left"].set_visible(False)
    elif axis.get("ticktext") is not None:
        names = [drawable(spelled(without_tags(str(text)))) for text in axis["ticktext"]]
        own.set_ticks([float(place) for place in axis["tickvals"]], names)
        own.set_minor_locator(NullLocator())
        if name == "x":
            axes.tick_params(axis="x", labelrotation=90)
    elif logarithmic:
        low, high = sorted(own.get_view_interval())
        own.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,), numticks=8))
        own.set_minor_formatter(NullFormatter())
        own.set_major_formatter(PlainPowers())
    else:
        plain = ScalarFormatter(useOffset=False)
        plain.set_scientific(False)
        own.set_major_formatter(plain)
        own.set_major_locator(MaxNLocator(max(2, ticks - 1), integer=isinstance(axis.get("dtick"), int)))
    if title := (axis.get("title") or {}).get("text"):
        (axes.set_xlabel if name == "x" else axes.set_ylabel)(
            drawable(without_tags(str(title))), fontsize=points, labelpad=2
        )
    if axis.get("showgrid"):
        own.grid(True, which="major", linewidth=0.4, color=hexadecimal(axis.get("gridcolor", "#cccccc"), colours))


class PlainPowers(LogFormatterMathtext):
    """Powers of ten as text: 10 and raised digits, or the number itself where it is short."""

    RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

    def __call__(self, x: float, pos: Any = None) -> str:  # noqa: D102
        power = np.log10(x) if x > 0 else 0.0
        if abs(power - round(power)) > 1e-6:
            return f"{x:.3g}"
        return f"{x:,.0f}" if 0 <= power < 4 else f"10{str(round(power)).translate(self.RAISED)}"


def draw_bars(axes: Axes, mark: dict[str, Any], at: int, count: int, colours: Colours, gap: float) -> None:
    """Bars of a series beside those of the others; those with a width of their own stand where they are."""
    looks = mark.get("marker") or {}
    wide = mark.get("width", (1 - gap) / count)
    along, size = (np.asarray(mark[side], dtype=float) for side in "xy")
    place = along if "width" in mark else along + (at - (count - 1) / 2) * wide
    hatch = "////" if (looks.get("pattern") or {}).get("shape") else None
    axes.bar(
        place,
        size,
        wide,
        mark.get("base"),
        color=hexadecimal(looks.get("color", "#777777"), colours),
        hatch=hatch,
        edgecolor=colours.get("#ffffff", "#ffffff") if hatch or "width" in mark else "none",
        linewidth=PIXEL if "width" in mark else 0,
        label=without_tags(str(mark.get("name") or "")),
    )


def draw_scatter(axes: Axes, mark: dict[str, Any], colours: Colours, theme: Theme, points: float) -> None:
    """Lines, points and words of a series."""
    x, y = (np.asarray(mark[side], dtype=float) for side in "xy")
    mode, line, looks = mark.get("mode", "lines"), mark.get("line") or {}, mark.get("marker") or {}
    label = without_tags(str(mark["name"])) if mark.get("name") else "_"
    colour = hexadecimal(line.get("color", looks.get("color", ACCENT[theme])), colours)
    if "lines" in mode:
        axes.plot(
            x,
            y,
            color=colour,
            linestyle=DASHES.get(line.get("dash", "solid"), "-"),
            linewidth=PIXEL * float(line.get("width", 2)),
            alpha=float(mark.get("opacity") or 1),
            label=drawable(label),
            drawstyle="steps-mid" if line.get("shape") == "hvh" else "default",
            marker="o" if "markers" in mode and not looks else None,
            markersize=2.4,
            clip_on="markers" not in mode,
        )
        label = "_"
    if "markers" in mode and (looks or "lines" not in mode):
        size = np.broadcast_to(np.asarray(looks.get("size", 6), dtype=float), x.shape)
        ring = np.broadcast_to(np.asarray((looks.get("line") or {}).get("width", 0), dtype=float), x.shape)
        axes.scatter(
            x,
            y,
            (PIXEL * size) ** 2,
            color=hexadecimal(looks.get("color", colour), colours),
            linewidths=(PIXEL * ring).tolist(),
            alpha=float(looks.get("opacity") or mark.get("opacity") or 1),
            edgecolors=INK[theme],
            label=label,
            zorder=3,
        )
    if "text" in mode:
        draw_words(
            axes, mark, x, y, hexadecimal((mark.get("textfont") or {}).get("color", INK[theme]), colours), points
        )


def draw_words(axes: Axes, mark: dict[str, Any], x: Any, y: Any, colour: str, points: float) -> None:
    """The words of a series beside its points."""
    sides = mark.get("textposition") or "middle center"
    every = [sides] * len(mark["text"]) if isinstance(sides, str) else sides
    for place_x, place_y, text, side in zip(x, y, mark["text"], every, strict=True):
        down, across = str(side).split()
        shift = {"left": -2, "right": 2, "center": 0}[across], {"top": 3, "bottom": -3, "middle": 0}[down]
        if words := spelled(without_tags(str(text))):
            axes.annotate(
                drawable(words),
                (place_x, place_y),
                shift,
                textcoords="offset points",
                color=colour,
                fontsize=points,
                ha=SIDES[across],
                va={"top": "bottom", "bottom": "top", "middle": "center"}[down],
                annotation_clip=False,
                weight="bold" if "<b>" in str(text) else "normal",
            )
