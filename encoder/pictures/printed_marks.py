"""How the marks that only the browser draws are printed: arcs, bars with their numbers, sums, strips and arrows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unicodedata import bidirectional

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from encoder.pictures.chart import Chart
from encoder.pictures.printed_kinds import POINT, Room, colours, in_cell, signed, whole_percent
from encoder.support.formatting import brief, percent, shown
from encoder.support.theme import ACCENT, BACKGROUND, GRID, INK, MUTED, SECOND

LEAST_ARC = 0.0005  # share: below it nothing is drawn, as on the screen
MOST_WORDS, LARGEST = 14, 12  # of a sum, and of a longer one those that add most
FAR, OTHER = 3, 4  # times the usual, from where the ends of strips cut; times another end, then both have their own
WHOLE = 6.0  # mm of an arrow that carries all of the change


def pale(room: Room) -> tuple[float, ...]:
    """The blue of what stands beside what is meant."""
    tint: tuple[float, ...] = colours("share", room.theme)(0.4)
    return tint


def line_up(axes: Axes, wide: float, high: float) -> None:
    """A plane of so many mm, counted from the top, with no axes."""
    axes.set(xlim=(0, wide), ylim=(high, 0))
    axes.axis("off")


def draw_arcs(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Arcs from a word to the others, as thick as its shares, in a line or, where that has no room, down a column."""
    shares, asked, down = chart.numbers.array, chart.look["from"], in_column(chart, room)
    names, far = [shown(name) for name in chart.names(0)], max(asked, len(shares) - 1 - asked, 1)
    most = int(shares.argmax())
    for to in np.argsort(shares, kind="stable").tolist():
        if to == asked or shares[to] < LEAST_ARC:
            continue
        out = 0.3 + 0.7 * abs(to - asked) / far
        along, away = [asked, asked, to, to], [0, out / 0.75, out / 0.75, 0]
        curve = Path([*zip(*((away, along) if down else (along, away)), strict=True)], [1, 4, 4, 4])
        paint, strength = (ACCENT[room.theme], 1.0) if to == most else (pale(room), 0.9)
        look = {"linewidth": max(0.7, 9 * shares[to]), "edgecolor": paint, "alpha": strength, "facecolor": "none"}
        axes.add_patch(PathPatch(curve, capstyle="butt", clip_on=False, **look))
    for i, (name, share) in enumerate(zip(names, shares.tolist(), strict=True)):
        weight, paint = ("bold" if i == most else "normal"), (ACCENT if i in (most, asked) else INK)[room.theme]
        edge = ACCENT[room.theme] if i == asked else "none"
        box = {"boxstyle": "round,pad=0.25", "facecolor": "none", "edgecolor": edge, "linewidth": 0.8}
        sides: Any = {"ha": "right", "va": "center"} if down else {"ha": "center", "va": "top"}
        at, below_it = ((-0.32, i), (-0.05, i)) if down else ((i, -0.08), (i, -0.3))
        axes.text(at[0], at[1], name, color=paint, weight=weight, bbox=box, **sides)
        axes.text(below_it[0], below_it[1], whole_percent(share), color=MUTED[room.theme], weight=weight, **sides)
    ends = (-0.6, len(shares) - 0.4)
    if down:
        axes.set(xlim=(-0.6, 1.1), ylim=ends[::-1])
    else:
        axes.set(xlim=ends[::-1] if from_the_right(names) else ends, ylim=(-0.45, 1.05))
    axes.axis("off")


def from_the_right(names: Sequence[str]) -> bool:
    """Whether the first letters that have a way go from right to left, as a browser sets a sentence."""
    ways = (bidirectional(c) for name in names if not name.startswith("[") for c in name)
    return next((way for way in ways if way in ("L", "R", "AL")), "L") != "L"


def in_column(chart: Chart, room: Room) -> bool:
    """Whether the words of a line have no room beside each other."""
    names = [shown(name) for name in chart.names(0)]
    return (room.width(names) + 1.2 * room.line) * len(names) > room.wide


def high_arcs(chart: Chart, room: Room, kind: str) -> float:
    """How high arcs with their words are."""
    return 1.9 * room.line * len(chart.numbers.array) if in_column(chart, room) else max(34.0, 0.36 * room.wide)


def draw_lying(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Bars from left to right, each with its name before and its number behind it; two series side by side."""
    names, all_series = [shown(name, 24) for name in chart.names(-1)], list(chart.series.items())
    left, right = room.width(names) + room.line, 7 * room.letters * POINT
    most = max(float(np.nan_to_num(chart.numbers.array).max(initial=0.0)), 1e-9)
    written = whole_percent if chart.values == "share" else in_cell
    row, bar = high_row(chart, room), 1.05 * room.line
    for s, (_, values) in enumerate(all_series):
        top = np.arange(len(names)) * row + s * bar + 0.5 * (row - bar * len(all_series))
        free = room.wide - left - right
        last = s == len(all_series) - 1
        paints = [ACCENT[room.theme] if last and not i else pale(room) for i in range(len(names))]
        axes.barh(top + bar / 2, np.clip(values, 0, None) / most * free, 0.8 * bar, left, color=paints, linewidth=0)
        for value, y in zip(values.tolist(), top, strict=True):
            axes.text(room.wide, y + bar / 2, written(value), ha="right", va="center", color=MUTED[room.theme])
    for i, name in enumerate(names):
        axes.text(left - 0.6 * room.line, (i + 0.5) * row, name, ha="right", va="center")
    if len(all_series) > 1:
        note = f"{all_series[0][0]} (pale) and {all_series[1][0]}"
        axes.text(left, len(names) * row + 0.3 * room.line, note, va="top", color=MUTED[room.theme])
    line_up(axes, room.wide, high_lying(chart, room, kind))


def high_row(chart: Chart, room: Room) -> float:
    """How high a name with its bars is."""
    return (0.6 + 1.05 * len(chart.series)) * room.line


def high_lying(chart: Chart, room: Room, kind: str) -> float:
    """How high all of them are."""
    return len(chart.names(-1)) * high_row(chart, room) + (1.5 * room.line if len(chart.series) > 1 else 0)


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


def stand_upright(terms: Sequence[tuple[str, float, str]], room: Room) -> bool:
    """Whether a name has no room below its bar."""
    return room.width([name for name, _, _ in terms]) * 1.05 > room.wide / len(terms)


def draw_sum(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Terms of a sum at their words: up what speaks for it, down what speaks against it, and what all come to."""
    terms = terms_of_sum(chart)
    up, down = (max([sign * value for _, value, _ in terms] + [0.0]) for sign in (1, -1))
    names = [name for name, _, _ in terms]
    upright = stand_upright(terms, room)
    unit = high_bars(room) / ((up + down) or 1)
    zero = 1.2 * room.line + up * unit
    digits = 2 if room.width([signed(value, 2) for _, value, _ in terms]) * 1.1 < room.wide / len(terms) else 1
    step, band = room.wide / len(terms), room.width(names) + room.line if upright else 1.6 * room.line
    for i, (name, value, what) in enumerate(terms):
        x, strong = (i + 0.5) * step, (SECOND if value < 0 else ACCENT)[room.theme]
        top = zero - value * unit if value > 0 else zero + band
        paint = pale(room) if what == "sum" else GRID[room.theme] if what == "beside" else strong
        look: Any = {"facecolor": paint, "edgecolor": strong if what == "sum" else "none", "linewidth": 1}
        axes.add_patch(Rectangle((x - 0.36 * step, top), 0.72 * step, max(0.15, abs(value) * unit), **look))
        ink = strong if what in ("first", "sum") else MUTED[room.theme] if what else INK[room.theme]
        weight = "bold" if what in ("first", "sum") else "normal"
        way = 90 if upright else 0
        axes.text(x, zero + band / 2, name, ha="center", va="center", color=ink, weight=weight, rotation=way)
        number: Any = {"ha": "center", "size": 0.9 * room.letters, "color": ink, "weight": weight}
        end = (zero - value * unit - 0.3, "bottom") if value > 0 else (zero + band - value * unit + 0.3, "top")
        axes.text(x, end[0], signed(value, digits), va=end[1], **number)
    line_up(axes, room.wide, high_sum(chart, room, kind))


def high_bars(room: Room) -> float:
    """How high the bars of a sum are, up and down together."""
    return min(60.0, 0.28 * room.wide)


def high_sum(chart: Chart, room: Room, kind: str) -> float:
    """How high a sum at its words is."""
    names, upright = [name for name, _, _ in terms_of_sum(chart)], stand_upright(terms_of_sum(chart), room)
    return high_bars(room) + 2.6 * room.line + (room.width(names) + room.line if upright else 1.6 * room.line)


def draw_spine(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """What each part costs, in the order of the data: up what is weaker without it; what comes first may be cut."""
    values, first = chart.numbers.array, chart.look["beside"]
    most = max(float(np.abs(np.nan_to_num(values[first:])).max(initial=0.0)), 1e-9)
    low = float(-np.nan_to_num(np.clip(values / most, -1, 1)).min(initial=0.0))
    pairs = 0.35 * ((np.arange(len(values)) - first) // 2)
    x = np.arange(len(values)) + np.where(np.arange(len(values)) < first, -0.5, pairs)
    heights = np.clip(np.nan_to_num(values) / most, -1, 1)
    paints = [(SECOND if value < 0 else ACCENT)[room.theme] for value in values]
    axes.bar(x, heights, 0.62, color=paints, linewidth=0)
    axes.axhline(0, color=GRID[room.theme], linewidth=0.6)
    nats = "nats" in chart.unit
    for at, value, height in zip(x, values.tolist(), heights.tolist(), strict=True):
        text = signed(value, 1) if nats else f"{100 * value:.0f}".replace("-", "\u2212")
        beyond = " (cut)" if abs(value) > most else ""
        axes.annotate(
            text + beyond, (at, height), (0, 1.5 if value >= 0 else -1.5), textcoords="offset points", ha="center",
            va="bottom" if value >= 0 else "top", color=MUTED[room.theme], size=max(5.0, 0.85 * room.letters),
        )  # fmt: skip
    layers = (len(values) - first) // 2
    middles = [*x[:first], *(x[first::2] + 0.5)]
    named = [*["position"] * first, *map(str, range(layers))]
    axes.set_xticks(middles, named)
    axes.tick_params(length=0)
    axes.set(yticks=[], ylim=(-low - 0.2, 1.2), xlabel="layer: attention, feed-forward", ylabel=in_points(chart))
    axes.spines[:].set_visible(False)
    weaker = [Rectangle((0, 0), 1, 1, color=colour[room.theme]) for colour in (ACCENT, SECOND)]
    ways = ["weaker without it", "stronger without it"] if "lost" in chart.unit else ["moves without it"]
    axes.legend(weaker[: len(ways)], ways, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)


def in_points(chart: Chart) -> str:
    """What the numbers of a spine are."""
    return chart.unit if "nats" in chart.unit else "points" if "lost" in chart.unit else "% of its length"


def high_spine(chart: Chart, room: Room, kind: str) -> float:
    """How high it is."""
    return max(26.0, 0.2 * room.wide) + 4 * room.line


def end_of(rows: Sequence[np.ndarray]) -> float:
    """Where strips end: at the largest number, unless a few are far above all others."""
    sizes = np.sort(np.abs(np.concatenate([row[np.isfinite(row)] for row in rows]))) if len(rows) else np.ones(1)
    most = float(sizes[-1]) or 1.0 if sizes.size else 1.0
    usual = float(sizes[int(0.99 * (sizes.size - 1))]) or most if sizes.size else most
    return 1.5 * usual if most > FAR * usual else most


def boxes_of(chart: Chart, room: Room) -> list[tuple[float, float]]:
    """How high each strip is, and where its numbers end: one unit is as high in all that have one end."""
    rows, own = list(np.asarray(chart.numbers.array, dtype=float)), chart.look.get("behind", [])
    groups = [[rows[i] for i in range(len(rows)) if (i in own) is behind] for behind in (False, True)]
    ends = [end_of(group) for group in groups if group]
    two = len(ends) > 1 and max(ends) > OTHER * min(ends)
    shared = end_of(rows)
    boxes = []
    for i, row in enumerate(rows):
        end = ends[int(i in own)] if two else shared
        need = min(1.0, float(np.abs(np.nan_to_num(row)).max(initial=0.0)) / end)
        boxes.append((max(2.5, need * 0.085 * room.wide), end))
    return boxes


def draw_strips(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Vectors below one another: a bar for each number, up from the middle of its strip or down."""
    inks = {"muted": MUTED, "accent": ACCENT, "ink": INK}
    top = 0.0
    for i, ((high, end), name) in enumerate(zip(boxes_of(chart, room), chart.names(0), strict=True)):
        row, paint = np.asarray(chart.numbers.array[i], dtype=float), inks[chart.look["paints"][i]][room.theme]
        axes.text(0, top + room.line, name, va="bottom", color=MUTED[room.theme])
        top += 1.15 * room.line
        axes.add_patch(Rectangle((0, top), room.wide, high, facecolor=GRID[room.theme], alpha=0.5, linewidth=0))
        middle, sides = top + high / 2, np.linspace(0, room.wide, len(row) + 1)
        ends = middle - np.clip(np.nan_to_num(row) / end, -1, 1) * high / 2
        axes.stairs(ends, sides, baseline=middle, fill=True, color=paint, linewidth=0)
        top += high + 0.3 * room.line
    all_ends = [brief(end) for _, end in boxes_of(chart, room)]
    own = {f"{name}: -{end} to {end}" for name, end in zip(chart.names(0), all_ends, strict=True)}
    scale = f"from -{all_ends[0]} to {all_ends[0]}" if len(set(all_ends)) == 1 else "; ".join(sorted(own))
    text = f"{chart.numbers.array.shape[-1]:,} numbers, drawn {scale}"
    axes.text(0, top + 0.2 * room.line, text, va="top", color=MUTED[room.theme])
    line_up(axes, room.wide, high_strips(chart, room, kind))


def high_strips(chart: Chart, room: Room, kind: str) -> float:
    """How high all of them are."""
    boxes = boxes_of(chart, room)
    return sum(high for high, _ in boxes) + (1.45 * len(boxes) + 1.4) * room.line


def draw_stack(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """A bar of parts one after the other for each series; what is against the rest comes last, over what it takes."""
    paints = dict(zip(chart.names(-1), (pale(room), ACCENT[room.theme], MUTED[room.theme]), strict=False))
    most = max(float(np.clip(values, 0, None).sum()) for values in chart.series.values()) or 1.0
    top = 0.0
    for title, values in chart.series.items():
        parts = [(name, value) for name, value in zip(chart.names(-1), values.tolist(), strict=True) if value]
        axes.text(0, top + room.line, title, va="bottom", weight="bold")
        top, left, whole = top + 1.2 * room.line, 0.0, sum(value for _, value in parts)
        for name, value in sorted(parts, key=lambda part: part[1] < 0):
            look: Any = {"facecolor": paints[name], "hatch": "////" if value < 0 else "", "linewidth": 0}
            low, size = (left + min(value, 0.0)) / most * room.wide, abs(value) / most * room.wide
            axes.add_patch(Rectangle((low, top), size, 1.8 * room.line, edgecolor=BACKGROUND[room.theme], **look))
            left += value
        top += 2.1 * room.line
        text = f"{brief(whole)} long"
        axes.text(0, top, text, va="top", weight="bold")
        x = room.width([text]) + 2 * room.line
        for i, (name, value) in enumerate(parts):
            share = whole_percent(value / whole) if whole else brief(value)
            text = f"{'+ ' * bool(i and value > 0)}{name} {share}"
            axes.add_patch(Rectangle((x, top + 0.15 * room.line), 0.6 * room.line, 0.6 * room.line, color=paints[name]))
            axes.text(x + room.line, top, text, va="top", color=MUTED[room.theme])
            x += room.width([text]) + 2.5 * room.line
        top += 1.8 * room.line
    line_up(axes, room.wide, high_stack(chart, room, kind))


def high_stack(chart: Chart, room: Room, kind: str) -> float:
    """How high the bars are."""
    return 5.1 * room.line * len(chart.series)


def spread_words(chart: Chart, room: Room) -> tuple[list[float], float]:
    """The middle of each word along a line, and how large its letters are."""
    words = chart.look["words"]
    long = [room.width([each]) + room.line for each in words]
    points = max(5.0, min(1.5, room.wide / sum(long)) * room.letters)
    scaled = [size * points / room.letters for size in long]
    starts = np.concatenate([[0.0], np.cumsum(scaled)[:-1]]) + max(0.0, (room.wide - sum(scaled)) / 2)
    middles = [float(start + size / 2) for start, size in zip(starts, scaled, strict=True)]
    return (middles[::-1] if from_the_right(words) else middles), points


def rows_of(chart: Chart, room: Room) -> tuple[dict[int, float], dict[int, tuple[float, float]], float]:
    """How far down each arrow runs, where the band of each layer begins and ends, and where all end."""
    arrows, shares = chart.look["arrows"], chart.numbers.array
    rows, bands, down = dict[int, float](), dict[int, tuple[float, float]](), 3.4 * room.line
    for layer in sorted({each[0] for each in arrows}):
        begun = down
        for i in sorted((i for i, each in enumerate(arrows) if each[0] == layer), key=lambda i: -shares[i]):
            high = max(1.7 * room.line, WHOLE * shares[i] + 0.7 * room.line)
            rows[i], down = down + high / 2, down + high
        bands[layer] = (begun, down)
        down += 0.5 * room.line
    return rows, bands, down + 1.2 * room.line


def draw_circuit(axes: Axes, chart: Chart, room: Room, kind: str) -> None:
    """Arrows from the words that heads read to where they write; all that reach the gap fall into it."""
    look, theme, shares = chart.look, room.theme, chart.numbers.array
    middles, points = spread_words(chart, room)
    rows, bands, end = rows_of(chart, room)
    gap, (changed, new) = look["gap"], look["changed"]
    ramp = colours("share", theme)
    for layer, (low, high) in bands.items():
        axes.add_patch(Rectangle((0, low), room.wide, high - low, facecolor=GRID[theme], alpha=0.45, linewidth=0))
        axes.text(0.4 * room.line, low + 0.2 * room.line, f"layer {layer}", va="top", color=MUTED[theme])
    for i, (word, x) in enumerate(zip(look["words"], middles, strict=True)):
        edge = ACCENT[theme] if i == gap else "none"
        box = {"boxstyle": "round,pad=0.2", "facecolor": "none", "edgecolor": edge, "linewidth": 0.8}
        paint, weight = (ACCENT[theme], "bold") if i == changed else (INK[theme], "normal")
        axes.text(x, 2.4 * room.line, word, ha="center", va="center", size=points, color=paint, weight=weight, bbox=box)
        reached = [rows[j] for j, (_, start, to) in starts_and_ends(look) if i in (start, to) and j in rows]
        if reached:
            axes.plot([x, x], [3.3 * room.line, max(reached)], color=pale(room), linewidth=0.7)
    if changed >= 0:
        axes.text(middles[changed], 0.8 * room.line, f"B: {new}", ha="center", va="center", color=SECOND[theme])
    order = sorted((i for i, each in enumerate(look["arrows"]) if each[3] == gap), key=lambda i: rows[i])
    before = [i for i in order if middles[look["arrows"][i][2]] <= middles[gap]]
    falling = [*before[::-1], *(i for i in order if i not in before)]  # so that none crosses another one
    heads = list(dict.fromkeys(look["arrows"][i][:2] for i in sorted(falling, key=lambda i: -shares[i])))
    total = sum(WHOLE * shares[i] + 0.5 for i in falling)
    turn = middles[gap] - total / 2
    for i in [*falling, *(i for i in rows if i not in falling)]:
        layer, head, start, to = look["arrows"][i]
        size, y, x = max(0.4, WHOLE * float(shares[i])), rows[i], middles[start]
        tint = ramp((0.7, 0.98, 0.45, 0.3)[min(3, heads.index((layer, head)))] if i in falling else 0.4)
        line: Any = {"linewidth": size / POINT, "edgecolor": tint, "facecolor": "none", "capstyle": "butt"}
        if i in falling:
            goal = turn + size / 2
            turn += size + 0.5
            bend = float(np.sign(goal - x) or 1) * min(2.5 + size / 2, abs(goal - x))
            corner = [(x, y), (goal - bend, y), (goal, y), (goal, y + abs(bend)), (goal, end)]
            axes.add_patch(PathPatch(Path(corner, [1, 2, 3, 3, 2]), **line))
            name_x = (x + goal - bend) / 2
        else:
            goal, way = middles[to], float(np.sign(middles[to] - x) or 1)
            axes.add_patch(PathPatch(Path([(x, y), (goal - way * 2, y)], [1, 2]), **line))
            tip = [(goal, y), (goal - way * 2.2, y - size / 2 - 0.9), (goal - way * 2.2, y + size / 2 + 0.9)]
            axes.add_patch(Polygon(tip, facecolor=tint, linewidth=0))
            name_x = (x + goal) / 2
        axes.plot([x], [y], "o", color=tint, markersize=size / POINT * 0.9 + 1)
        text = f"{layer}.{head} from {look['words'][start]} {percent(float(shares[i]), 1)}"
        half = room.width([text]) / 2 + 0.5 * room.line
        if abs(name_x - x) < half:  # a short arrow: its name stands behind where it begins
            name_x = x + (half + room.line) * (1 if x + 2 * half + room.line < room.wide else -1)
        at = min(room.wide - half, max(half + 4 * room.line, name_x))
        back = {"boxstyle": "round,pad=0.25", "facecolor": BACKGROUND[theme], "edgecolor": tint, "linewidth": 0.5}
        axes.text(at, y, text, ha="center", va="center", bbox=back)
    word, share = look["guess"]
    text = f"{word} {whole_percent(share)}"
    half = room.width([text]) / 2 + room.line
    axes.add_patch(
        FancyBboxPatch(
            (middles[gap] - half, end),
            2 * half,
            1.8 * room.line,
            boxstyle="round,pad=0,rounding_size=1",
            facecolor=BACKGROUND[theme],
            edgecolor=ACCENT[theme],
            linewidth=1,
        )
    )
    axes.text(middles[gap], end + 0.9 * room.line, text, ha="center", va="center", weight="bold")
    line_up(axes, room.wide, high_circuit(chart, room, kind))


def starts_and_ends(look: Mapping[str, Any]) -> list[tuple[int, tuple[int, int, int]]]:
    """Of each arrow its number, layer, and the words where it starts and ends."""
    return [(i, (layer, start, to)) for i, (layer, _, start, to) in enumerate(look["arrows"])]


def high_circuit(chart: Chart, room: Room, kind: str) -> float:
    """How high it is."""
    return rows_of(chart, room)[2] + 2.2 * room.line


MARKS: dict[str, tuple[Callable[[Axes, Chart, Room, str], None], Callable[[Chart, Room, str], float]]] = {
    "arcs": (draw_arcs, high_arcs),
    "lying": (draw_lying, high_lying),
    "sum": (draw_sum, high_sum),
    "spine": (draw_spine, high_spine),
    "strips": (draw_strips, high_strips),
    "stack": (draw_stack, high_stack),
    "circuit": (draw_circuit, high_circuit),
}
