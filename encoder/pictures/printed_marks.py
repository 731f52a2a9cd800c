"""How the marks that only the browser draws are printed: arcs, bars with their numbers, sums, strips and arrows."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from unicodedata import bidirectional

import numpy as np
from matplotlib.patches import FancyBboxPatch, Polygon

from encoder.pictures.chart import Chart
from encoder.pictures.printed_maps import in_points, three_digits
from encoder.pictures.printed_plane import POINT, SIDES, Plane, whole_percent
from encoder.support.formatting import MINUS, adding_up, brief, percent, shown, signed

LEAST_ARC = 0.0005  # share: below it nothing is drawn, as on the screen
MOST_WORDS, LARGEST = 14, 12  # of a sum, and of a longer one those that add most
FAR, OTHER = 3, 4  # times the usual, from where the ends of strips cut; times another end, then both have their own
WHOLE = 6.0  # mm of an arrow that carries all of the change
FALLS = [1, 2, 3, 3, 2]  # how an arrow runs along its points: straight, around a corner, and down


def ring(edge: Any, pad: float = 0.25, page: Any = "none", line: float = 0.8) -> dict[str, Any]:
    """A box with round corners about a text."""
    return {"boxstyle": f"round,pad={pad}", "facecolor": page, "edgecolor": edge, "linewidth": line}


def draw_arcs(plane: Plane, chart: Chart) -> float:
    """Arcs from a word to the others, as thick as its shares, in a line or, where that has no room, down a column."""
    shares, asked, names = chart.numbers.array, chart.look["from"], [shown(name) for name in chart.names(0)]
    down = (plane.width(names) + 1.2 * plane.line) * len(names) > plane.wide
    most, far = int(shares.argmax()), max(asked, len(shares) - 1 - asked, 1)
    for to in np.argsort(shares, kind="stable").tolist():
        if to == asked or shares[to] < LEAST_ARC:
            continue
        out = (0.3 + 0.7 * abs(to - asked) / far) / 0.75
        along, away = [asked, asked, to, to], [0, out, out, 0]
        points = [*zip(*((away, along) if down else (along, away)), strict=True)]
        paint, strength = (plane.ink("accent"), 1.0) if to == most else (plane.ink("pale"), 0.9)
        plane.curve(points, [1, 4, 4, 4], paint, linewidth=max(0.7, 9 * shares[to]), alpha=strength, clip_on=False)
    for i, (name, share) in enumerate(zip(names, shares.tolist(), strict=True)):
        weight, paint = "bold" if i == most else "normal", "accent" if i in (most, asked) else "ink"
        side, (x, y), below_it = ("right", (-0.32, i), (-0.05, i)) if down else ("below", (i, -0.08), (i, -0.3))
        box = ring(plane.ink("accent") if i == asked else "none")
        plane.text(x, y, name, side, paint, weight=weight, bbox=box)
        plane.text(below_it[0], below_it[1], whole_percent(share), side, "muted", weight=weight)
    ends = (-0.6, len(shares) - 0.4)
    if down:
        plane.axes.set(xlim=(-0.6, 1.1), ylim=ends[::-1])
    else:
        plane.axes.set(xlim=ends[::-1] if from_the_right(names) else ends, ylim=(-0.45, 1.05))
    plane.axes.axis("off")
    return 1.9 * plane.line * len(shares) if down else max(34.0, 0.36 * plane.wide)


def from_the_right(names: Sequence[str]) -> bool:
    """Whether the first letters that have a way go from right to left, as a browser sets a sentence."""
    ways = (bidirectional(c) for name in names if not name.startswith("[") for c in name)
    return next((way for way in ways if way in ("L", "R", "AL")), "L") != "L"


def draw_lying(plane: Plane, chart: Chart) -> float:
    """Bars from left to right, each with its name before and its number behind it; two series side by side."""
    names, all_series, line = [shown(name, 24) for name in chart.names(-1)], list(chart.series.items()), plane.line
    beside = [chart.look["beside"][0]] if "beside" in chart.look else []
    left, row, bar = plane.width([*names, *beside]) + line, (0.6 + 1.05 * len(all_series)) * line, 1.05 * line
    largest = max(float(np.nan_to_num(chart.numbers.array).max()), 1e-9)
    most = largest if chart.values == "positive" else 1.0  # shares and cosines end at 1, as on the screen
    unit = (plane.wide - left - 7 * plane.letters * POINT) / most
    written = whole_percent if chart.values == "share" else three_digits
    for s, (_, values) in enumerate(all_series):
        for i, value in enumerate(values.tolist()):
            y = i * row + s * bar + 0.5 * (row - bar * len(all_series))
            paint = plane.ink("accent" if s == len(all_series) - 1 and not i else "pale")
            plane.box(left, y + 0.1 * bar, max(0.0, value) * unit, 0.8 * bar, paint)
            plane.text(plane.wide, y + bar / 2, written(value), "right", "muted")
    for i, name in enumerate(names):
        plane.text(left - 0.6 * line, (i + 0.5) * row, name, "right")
    high = len(names) * row
    if "beside" in chart.look:  # what any other comes to: a bar of its own, and a line through all
        name, value = chart.look["beside"]
        plane.box(left, high + 0.35 * row, max(0.0, value) * unit, 0.3 * row, plane.ink("muted"))
        plane.text(left - 0.6 * line, high + 0.5 * row, name, "right", "muted")
        plane.text(plane.wide, high + 0.5 * row, written(value), "right", "muted")
        if value > 0:
            plane.axes.plot([left + value * unit] * 2, [0, high], color=plane.ink("muted"), linewidth=0.7)
        high += row
    if len(all_series) > 1:
        plane.text(left, high + 0.3 * line, f"{all_series[0][0]} (pale) and {all_series[1][0]}", "under", "muted")
        high += 1.5 * line
    return plane.measured(high)


def terms_of_sum(chart: Chart) -> list[tuple[str, float, str]]:
    """The words of a sum in their order, of many those that add most, then what is built in, and the whole."""
    values, names = chart.numbers.array.tolist(), [shown(name) for name in chart.look["names"]]
    words, built_in = values[:-1], values[-1]
    order = sorted(range(len(words)), key=lambda i: -abs(words[i]))
    kept = sorted(order if len(words) <= MOST_WORDS else order[:LARGEST])
    rest = [words[i] for i in range(len(words)) if i not in kept]
    others = [(f"{len(rest)} others", sum(rest), "beside")] if rest else []
    strongest = {words.index(max(words)), words.index(min(words))}
    each = [(names[i], words[i], "first" if i in strongest and words[i] else "") for i in kept]
    return [*each, *others, ("built in", built_in, "beside"), (chart.look["whole"], sum(values), "sum")]


def draw_sum(plane: Plane, chart: Chart) -> float:
    """Terms of a sum at their words: up what speaks for it, down what speaks against it, and what all come to."""
    terms, line = terms_of_sum(chart), plane.line
    names, step = [name for name, _, _ in terms], plane.wide / len(terms)
    up, down = (max([sign * value for _, value, _ in terms] + [0.0]) for sign in (1, -1))
    upright, tall = plane.width(names) * 1.05 > step, min(60.0, 0.28 * plane.wide)
    band, unit = plane.width(names) + line if upright else 1.6 * line, tall / ((up + down) or 1)
    zero = 1.2 * line + up * unit
    digits = 2 if plane.width([signed(value, 2) for _, value, _ in terms]) * 1.1 < step else 1
    for i, (name, value, what) in enumerate(terms):
        x, strong = (i + 0.5) * step, plane.of_sign(value)
        fill = {"sum": plane.ink("pale"), "beside": plane.ink("grid")}.get(what, strong)
        top = zero - value * unit if value > 0 else zero + band
        look: Any = {"edgecolor": strong if what == "sum" else "none", "linewidth": 1}
        plane.box(x - 0.36 * step, top, 0.72 * step, max(0.15, abs(value) * unit), fill, **look)
        paint = {"": "ink", "beside": "muted"}.get(what, strong)
        weight = "bold" if what in ("first", "sum") else "normal"
        plane.text(x, zero + band / 2, name, "middle", paint, weight=weight, rotation=90 * upright)
        y, side = (zero - value * unit - 0.3, "above") if value > 0 else (zero + band - value * unit + 0.3, "below")
        plane.text(x, y, signed(value, digits), side, paint, weight=weight, size=0.9 * plane.letters)
    return plane.measured(tall + 2.6 * line + band)


def draw_spine(plane: Plane, chart: Chart) -> float:
    """What each part costs, in the order of the data: up what is weaker without it; what comes first may be cut."""
    values, first, axes = chart.numbers.array, chart.look["beside"], plane.axes
    most = max(float(np.abs(np.nan_to_num(values[first:])).max(initial=0.0)), 1e-9)
    at, heights = np.arange(len(values)), np.clip(np.nan_to_num(values) / most, -1, 1)
    x = at + np.where(at < first, -0.5, 0.35 * ((at - first) // 2))
    axes.bar(x, heights, 0.62, color=[plane.of_sign(value) for value in values], linewidth=0)
    axes.axhline(0, color=plane.ink("grid"), linewidth=0.6)
    written = in_points(chart) if "nats" not in chart.unit else partial(signed, places=1)
    for place, value, height in zip(x, values.tolist(), heights.tolist(), strict=True):
        text = written(value) + (" (cut)" if abs(value) > most else "")
        ha, va = SIDES["above" if value >= 0 else "below"]
        look: Any = {"color": plane.ink("muted"), "size": max(5.0, 0.85 * plane.letters), "ha": ha, "va": va}
        axes.annotate(text, (place, height), (0, 1.5 if value >= 0 else -1.5), textcoords="offset points", **look)
    named = [*["position"] * first, *map(str, range((len(values) - first) // 2))]
    axes.set_xticks([*x[:first], *(x[first::2] + 0.5)], named)
    up = chart.unit if "nats" in chart.unit else "points" if "lost" in chart.unit else "% of its length"
    low = min(0.0, float(heights.min(initial=0.0))) - 0.2
    axes.set(yticks=[], ylim=(low, 1.2), xlabel="layer: attention, feed-forward", ylabel=up)
    plane.bare()
    ways = ["weaker without it", "stronger without it"] if "lost" in chart.unit else ["moves without it"]
    for way, sign in zip(ways, (1, -1), strict=False):
        axes.bar([np.nan], [np.nan], color=plane.of_sign(sign), label=way)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return max(26.0, 0.2 * plane.wide) + 4 * plane.line


def end_of(rows: Sequence[np.ndarray]) -> float:
    """Where strips end: at the largest number, unless a few are far above all others."""
    sizes = np.sort(np.abs(np.concatenate([row[np.isfinite(row)] for row in rows]))) if len(rows) else np.ones(1)
    most = float(sizes[-1]) or 1.0 if sizes.size else 1.0
    usual = float(sizes[int(0.99 * (sizes.size - 1))]) or most if sizes.size else most
    return 1.5 * usual if most > FAR * usual else most


def ends_of(rows: Sequence[np.ndarray], own: Sequence[int]) -> list[float]:
    """Where each strip ends: one end for all, unless those that are `own` go so much further, or less far."""
    groups = [[row for i, row in enumerate(rows) if (i in own) is behind] for behind in (False, True)]
    ends = [end_of(group) for group in groups if group]
    two = len(ends) > 1 and max(ends) > OTHER * min(ends)
    return [ends[int(i in own)] if two else end_of(rows) for i in range(len(rows))]


def draw_strips(plane: Plane, chart: Chart) -> float:
    """Vectors below one another: a bar for each number, up from the middle of its strip or down."""
    rows, names, top = [*np.asarray(chart.numbers.array, dtype=float)], chart.names(0), 0.0
    ends = ends_of(rows, chart.look.get("behind", []))
    for row, end, name, paint in zip(rows, ends, names, chart.look["paints"], strict=True):
        need = min(1.0, float(np.abs(np.nan_to_num(row)).max(initial=0.0)) / end)
        high = max(2.5, need * 0.085 * plane.wide)
        plane.text(0, top + plane.line, name, "over", "muted")
        top += 1.15 * plane.line
        plane.box(0, top, plane.wide, high, plane.ink("grid"), alpha=0.5)
        middle, sides = top + high / 2, np.linspace(0, plane.wide, len(row) + 1)
        tips = middle - np.clip(np.nan_to_num(row) / end, -1, 1) * high / 2
        plane.axes.stairs(tips, sides, baseline=middle, fill=True, color=plane.ink(paint), linewidth=0)
        top += high + 0.3 * plane.line
    written = [brief(end) for end in ends]
    own = sorted({f"{name}: -{end} to {end}" for name, end in zip(names, written, strict=True)})
    scale = f"from -{written[0]} to {written[0]}" if len(set(written)) == 1 else "; ".join(own)
    plane.text(0, top + 0.2 * plane.line, f"{len(rows[0]):,} numbers, drawn {scale}", "under", "muted")
    return plane.measured(top + 1.4 * plane.line)


def draw_stack(plane: Plane, chart: Chart) -> float:
    """A bar of parts one after the other for each series; what is against the rest comes last, over what it takes."""
    inks = dict(zip(chart.names(-1), map(plane.ink, ("pale", "accent", "muted")), strict=False))
    unit = plane.wide / (max(float(np.clip(values, 0, None).sum()) for values in chart.series.values()) or 1.0)
    top, line = 0.0, plane.line
    for title, values in chart.series.items():
        parts = [(name, value) for name, value in zip(chart.names(-1), values.tolist(), strict=True) if value]
        plane.text(0, top + line, title, "over", weight="bold")
        top, left, whole = top + 1.2 * line, 0.0, sum(value for _, value in parts)
        if before := chart.look.get("before", {}).get(title):
            plane.box(0, top, before * unit, 0.6 * line, plane.ink("pale"))
            long = f"length {brief(before)}"
            plane.text(0, top + 0.8 * line, long, "under", weight="bold")
            plane.text(plane.width([long]) + 2 * line, top + 0.8 * line, "before gamma and beta", "under", "muted")
            top += 2.3 * line
        if lengths := chart.look.get("arrows", {}).get(title):
            top += draw_arrows(plane, top, (float(values[0]) * unit, whole * unit), unit, lengths)
        for name, value in sorted(parts, key=lambda part: part[1] < 0):
            look: Any = {"hatch": "////" if value < 0 else "", "edgecolor": plane.ink("page")}
            plane.box((left + min(value, 0.0)) * unit, top, abs(value) * unit, 1.8 * line, inks[name], **look)
            left += value
        top += 2.1 * line
        long = f"length {brief(whole)}"
        plane.text(0, top, long, "under", weight="bold")
        x = plane.width([long]) + 2 * line
        shares = adding_up([100 * value / whole for _, value in parts], 100) if whole else []
        for i, ((name, value), share) in enumerate(zip(parts, shares, strict=False)):
            sign = "" if not i else f"{MINUS} " if value < 0 else "+ "
            text = f"{sign}{name} {share.removeprefix(MINUS) if sign else share} %"
            plane.box(x, top + 0.15 * line, 0.6 * line, 0.6 * line, inks[name])
            plane.text(x + line, top, text, "under", "muted")
            x += plane.width([text]) + 2.5 * line
        top += 1.8 * line
    return plane.measured(top)


def draw_arrows(plane: Plane, top: float, along: tuple[float, float], unit: float, lengths: Sequence[float]) -> float:
    """What came in and what is added in the plane of both, over the bar of their sum; how high they are."""
    (x, end), (had, plus), line = along, lengths, plane.line
    low = top + 1.4 * line
    foot = low + float(np.sqrt(max(0.0, (had * unit) ** 2 - x**2)))
    plane.axes.plot([x, x], [low, foot], color=plane.ink("grid"), linewidth=0.6)
    for start, tip, paint in (((0.0, foot), (x, low), "pale"), ((x, low), (end, foot), "accent")):
        look: Any = {"arrowstyle": "-|>,head_length=0.5,head_width=0.22", "color": plane.ink(paint), "linewidth": 1.4}
        plane.axes.annotate("", tip, start, arrowprops=look | {"shrinkA": 0, "shrinkB": 0})
    came, room = f"came in: length {brief(had)}", 1.15 * plane.width([f"came in: length {brief(had)}"])
    plane.text(max(0.0, x - room), low - 0.2 * line, came, "over", "muted")
    plane.text(max(x, room) + line, low - 0.2 * line, f"added: length {brief(plus)}", "over", "muted")
    return foot - top + 0.3 * line


def spread_words(plane: Plane, words: Sequence[str]) -> tuple[list[float], float]:
    """The middle of each word along a line, and how large its letters are."""
    long = [plane.width([each]) + plane.line for each in words]
    points = max(5.0, min(1.5, plane.wide / sum(long)) * plane.letters)
    scaled = np.array(long) * points / plane.letters
    middles = np.cumsum(scaled) - scaled / 2 + max(0.0, (plane.wide - scaled.sum()) / 2)
    return (middles[::-1] if from_the_right(words) else middles).tolist(), points


def rows_of(plane: Plane, chart: Chart) -> tuple[dict[int, float], dict[int, tuple[float, float]], float]:
    """How far down each arrow runs, where the band of each layer begins and ends, and where all end."""
    arrows, shares = arrows_of(chart)
    rows, bands, down = dict[int, float](), dict[int, tuple[float, float]](), 3.4 * plane.line
    for layer in sorted({each[0] for each in arrows}):
        begun = down
        for i in sorted((i for i, each in enumerate(arrows) if each[0] == layer), key=lambda i: -shares[i]):
            high = max(1.7 * plane.line, WHOLE * shares[i] + 0.7 * plane.line)
            rows[i], down = down + high / 2, down + high
        bands[layer] = (begun, down)
        down += 0.5 * plane.line
    return rows, bands, down + 1.2 * plane.line


def arrows_of(chart: Chart) -> tuple[list[tuple[int, int, int, int]], list[float]]:
    """The arrows and their shares; behind them what a head takes from several words, which begins where it ends."""
    gap, more = chart.look["gap"], chart.look["from several"]
    arrows = [*chart.look["arrows"], *((layer, head, gap, gap) for layer, head, _ in more)]
    return arrows, [*map(float, chart.numbers.array), *(share for *_, share in more)]


def draw_circuit(plane: Plane, chart: Chart) -> float:
    """Arrows from the words that heads read to where they write; all that reach the gap fall into it."""
    look, line, wide = chart.look, plane.line, plane.wide
    (middles, points), (rows, bands, end) = spread_words(plane, look["words"]), rows_of(plane, chart)
    gap, (changed, new), (word, share), (arrows, shares) = look["gap"], look["changed"], look["guess"], arrows_of(chart)
    single = len(look["arrows"])
    for layer, (low, high) in bands.items():
        plane.box(0, low, wide, high - low, plane.ink("grid"), alpha=0.45)
        plane.text(0.4 * line, low + 0.2 * line, f"layer {layer}", "under", "muted")
    for i, (name, x) in enumerate(zip(look["words"], middles, strict=True)):
        paint, weight = ("accent", "bold") if i == changed else ("ink", "normal")
        box = ring(plane.ink("accent") if i == gap else "none", 0.2)
        plane.text(x, 2.4 * line, name, "middle", paint, size=points, weight=weight, bbox=box)
        if reached := [rows[j] for j, (_, _, start, to) in enumerate(arrows) if i in (start, to)]:
            plane.axes.plot([x, x], [3.3 * line, max(reached)], color=plane.ink("pale"), linewidth=0.7)
    if changed >= 0:
        plane.text(middles[changed], 0.8 * line, f"B: {new}", "middle", "second")
    falling = [i for i in rows_in_order(rows) if arrows[i][3] == gap]
    before = [i for i in falling if middles[arrows[i][2]] <= middles[gap]]
    falling = [*before[::-1], *(i for i in falling if i not in before)]  # so that none crosses another one
    turn = middles[gap] - sum(WHOLE * shares[i] + 0.5 for i in falling) / 2
    for i in [*falling, *(i for i in rows if i not in falling)]:
        layer, head, start, to = arrows[i]
        size, y, x = max(0.4, WHOLE * float(shares[i])), rows[i], middles[start]
        falls = i in falling
        tint = plane.ink("accent" if falls else "pale")
        goal = turn + size / 2 if falls else middles[to]
        way = float(np.sign(goal - x) or 1)
        if falls:
            turn += size + 0.5
            bend = way * min(2.5 + size / 2, abs(goal - x))
            stop = goal - bend
            points_of_it = [(x, y), (stop, y), (goal, y), (goal, y + abs(bend)), (goal, end)]
            dashes = {} if i < single else {"linestyle": (0, (0.6, 0.6))}
            plane.curve(points_of_it, FALLS, tint, linewidth=size / POINT, **dashes)
        else:
            stop = goal
            plane.curve([(x, y), (goal - way * 2, y)], [1, 2], tint, linewidth=size / POINT)
            foot, half = goal - way * 2.2, size / 2 + 0.9
            plane.axes.add_patch(Polygon([(goal, y), (foot, y - half), (foot, y + half)], facecolor=tint, linewidth=0))
        if i < single:
            plane.axes.plot([x], [y], "o", color=tint, markersize=size / POINT * 0.9 + 1)
        source = look["words"][start] if i < single else "several words"
        name = f"{layer}.{head} from {source} {percent(shares[i], 1)}"
        name_arrow(plane, name, x, stop, y, tint)
    text, page = f"{word} {whole_percent(share)}", plane.ink("page")
    half, frame = plane.width([text]) / 2 + line, {"facecolor": page, "edgecolor": plane.ink("accent"), "linewidth": 1}
    corner, shape = (middles[gap] - half, end), "round,pad=0,rounding_size=1"
    plane.axes.add_patch(FancyBboxPatch(corner, 2 * half, 1.8 * line, boxstyle=shape, **frame))
    plane.text(middles[gap], end + 0.9 * line, text, weight="bold")
    return plane.measured(draw_whole(plane, end + 2.8 * line, look["whole"]) if look["whole"] else end + 2.2 * line)


def draw_whole(plane: Plane, top: float, parts: Sequence[tuple[str, float, str]]) -> float:
    """What makes up the change, as one bar with a name for each part; where it ends."""
    x, line, down = 0.0, plane.line, top + 2.6 * plane.line
    plane.text(0, top, "The whole change", "under", "muted")
    for text, share, kind in parts:
        paint = plane.ink({"drawn": "accent", "hatched": "page", "rest": "grid"}[kind])
        look: Any = {"hatch": "||||", "edgecolor": plane.ink("accent")} if kind == "hatched" else {}
        plane.box(x, top + 1.4 * line, share * plane.wide, 0.9 * line, paint, **look)
        plane.box(0, down + 0.15 * line, 0.9 * line, 0.6 * line, paint, **look)
        plane.text(1.3 * line, down, f"{text} {whole_percent(share)}", "under", "muted")
        x, down = x + share * plane.wide, down + 1.2 * line
    return down


def rows_in_order(rows: Mapping[int, float]) -> list[int]:
    """The arrows from above."""
    return sorted(rows, key=lambda i: rows[i])


def name_arrow(plane: Plane, text: str, x: float, stop: float, y: float, tint: Any) -> None:
    """The name of an arrow in its middle; that of a short one behind where it begins."""
    half, at = plane.width([text]) / 2 + 0.5 * plane.line, (x + stop) / 2
    if abs(at - x) < half:
        at = x + (half + plane.line) * (1 if x + 2 * half + plane.line < plane.wide else -1)
    at = min(plane.wide - half, max(half + 4 * plane.line, at))
    plane.text(at, y, text, bbox=ring(tint, page=plane.ink("page"), line=0.5))


MARKS: dict[str, Callable[[Plane, Chart], float]] = {
    "arcs": draw_arcs,
    "lying": draw_lying,
    "sum": draw_sum,
    "spine": draw_spine,
    "strips": draw_strips,
    "stack": draw_stack,
    "circuit": draw_circuit,
}
