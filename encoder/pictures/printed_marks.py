"""How the marks that only the browser draws are printed: arcs, lying bars, sums, strips, waves and arrows."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from unicodedata import bidirectional

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator

from encoder.pictures.chart import Chart
from encoder.pictures.printed_maps import in_points, three_digits
from encoder.pictures.printed_plane import LEAST_LETTERS, LINE, Plane, colours, ink, of_sign, whole_percent, widest
from encoder.support.formatting import MINUS, adding_up, brief, percent, shown, signed, whole

LEAST_ARC = 0.0005  # share: below it nothing is drawn, as on the screen
MOST_WORDS, LARGEST = 14, 12  # of a sum, and of a longer one those that add most
COUNTS = 0.1  # of what the strongest word adds: one that adds less does not stand out
OTHER, FAR = 4, 10  # times another end of strips, another bar: then each has its own
WHOLE = 2.0  # letters of an arrow that carries all of the change
INKS_OF_PARTS = ("pale", "accent", "muted")
APART = 3.1  # from the middle of a pair of waves to the next, whose own ends are 1 and -1


def ring(edge: Any, pad: float = 0.25, page: Any = "none", line: float = 0.8) -> dict[str, Any]:
    """A box with round corners about a text."""
    return {"boxstyle": f"round,pad={pad}", "facecolor": page, "edgecolor": edge, "linewidth": line}


def from_the_right(names: Sequence[str]) -> bool:
    """Whether the first letters that have a way go from right to left, as a browser sets a sentence."""
    ways = (bidirectional(c) for name in names if not name.startswith("[") for c in name)
    return next((way for way in ways if way in ("L", "R", "AL")), "L") != "L"


def draw_arcs(plane: Plane, chart: Chart) -> float:
    """Arcs from a word to the others, as thick as its shares, in a line or, where that has no room, down a column."""
    shares, asked, names = chart.numbers.array, chart.look["from"], [shown(name) for name in chart.names(0)]
    down = (widest(names) + 1.5) * len(names) > plane.wide
    most, far = int(shares.argmax()), max(asked, len(shares) - 1 - asked, 1)
    for to in np.argsort(shares, kind="stable").tolist():
        if to == asked or shares[to] < LEAST_ARC:
            continue
        out = (0.3 + 0.7 * abs(to - asked) / far) / 0.75
        along, away = [asked, asked, to, to], [0, out, out, 0]
        points = [*zip(*((away, along) if down else (along, away)), strict=True)]
        paint, strength = (ink("accent"), 1.0) if to == most else (ink("pale"), 0.9)
        plane.curve(points, [1, 4, 4, 4], paint, linewidth=max(0.7, 9 * shares[to]), alpha=strength, clip_on=False)
    for i, (name, share) in enumerate(zip(names, shares.tolist(), strict=True)):
        weight, paint = "bold" if i == most else "normal", "accent" if i in (most, asked) else "ink"
        side, (x, y), (under, low) = ("right", (-0.32, i), (-0.05, i)) if down else ("below", (i, -0.08), (i, -0.3))
        box = ring(ink("accent") if i == asked else "none")
        plane.text(x, y, name, side, paint, weight=weight, bbox=box)
        plane.text(under, low, whole_percent(share), side, "muted", weight=weight)
    ends = (-0.6, len(shares) - 0.4)
    if down:
        plane.axes.set(xlim=(-0.6, 1.1), ylim=ends[::-1])
    else:
        plane.axes.set(xlim=ends[::-1] if from_the_right(names) else ends, ylim=(-0.45, 1.05))
    plane.axes.axis("off")
    return 1.9 * LINE * len(shares) if down else max(13.0, 0.36 * plane.wide)


def draw_lying(plane: Plane, chart: Chart) -> float:
    """Bars from left to right, each with its name and number; at what each was before, or any other one is, a mark."""
    axes, names, (*before, values) = plane.axes, [shown(name, 24) for name in chart.names(-1)], chart.series.values()
    largest = max(float(np.nan_to_num(chart.numbers.array).max()), 1e-9)
    written, rows = whole_percent if chart.values == "share" else three_digits, np.arange(len(names))
    texts, marks = [written(value) for value in values.tolist()], before[0] if before else np.array([])
    if before:
        texts = [f"{written(was)} → {text}" for was, text in zip(before[0].tolist(), texts, strict=True)]
    axes.barh(rows, values.clip(0), 0.62, color=[ink("accent"), *[ink("pale")] * (len(names) - 1)])
    if "beside" in chart.look:  # what any other comes to: a bar of its own, and a mark on all
        name, value = chart.look["beside"]
        axes.barh(len(names), max(0.0, value), 0.3, color=ink("muted"))
        names, texts, marks = [*names, name], [*texts, written(value)], np.full(len(rows), value)[: value > 0 and None]
    axes.vlines(marks, rows[: len(marks)] - 0.4, rows[: len(marks)] + 0.4, ink("ink"), linewidth=1.2)
    for i, text in enumerate(texts):
        plane.text(1, i, text, "left", "muted", (4, 0), xycoords=axes.get_yaxis_transform())
    axes.set_yticks(range(len(names)), names)
    # Shares and cosines end at 1, as on the screen.
    axes.set(xticks=[], xlim=(0, largest if chart.values == "positive" else 1), ylim=(len(names) - 0.5, -0.5))
    if before:
        axes.set_xlabel(f"The line: {next(iter(chart.series))}", loc="left")
    plane.bare()
    return 1.65 * LINE * len(names)


def terms_of_sum(chart: Chart, digits: int = 2) -> list[tuple[str, float, str, str, float]]:
    """The words of a sum in their order, of many those that add most, then what is built in, and the whole.

    Each has its name, what it adds, the text of that (all add up to that of the whole), how it is drawn, and what
    hiding it costs; NaN where that is not shown.
    """
    values, names = chart.numbers.array.tolist(), [shown(name) for name in chart.look["names"]]
    written = [float(text.replace(MINUS, "-")) for text in adding_up(values, sum(values), digits)]
    words, lost = values[:-1], chart.look.get("lost", [np.nan] * len(values))
    order = sorted(range(len(words)), key=lambda i: -abs(words[i]))
    kept = sorted(order if len(words) <= MOST_WORDS else order[:LARGEST])
    rest = [i for i in range(len(words)) if i not in kept]

    def term(name: str, places: Sequence[int], kind: str, cost: float = np.nan) -> tuple[str, float, str, str, float]:
        value, text = (sum(all_of[i] for i in places) for all_of in (values, written))
        return name, value, signed(text, digits), kind, cost

    strongest = {words.index(max(words)), words.index(min(words))}
    stands_out = {i for i in strongest if abs(words[i]) > COUNTS * abs(words[order[0]])}
    each = [term(names[i], [i], "first" if i in stands_out else "", lost[i]) for i in kept]
    others = [term(f"{len(rest)} other words", rest, "beside")] if rest else []
    whole_sum = term(chart.look["whole"], range(len(values)), "sum")
    return [*each, *others, term("built in", [len(words)], "beside"), whole_sum]


def draw_signed(plane: Plane, x: np.ndarray, heights: np.ndarray, ends: np.ndarray, texts: Sequence[str]) -> Any:
    """Bars up and down, blue from zero on and warm below, and a text for each where it or its mark ends."""
    bars = plane.axes.bar(x, heights, 0.62, color=[of_sign(height) for height in heights], linewidth=0)
    plane.axes.axhline(0, color=ink("muted"), linewidth=0.6)
    for place, height, end, text in zip(x, heights, ends, texts, strict=True):
        side, away = ("below", -1.5) if height < 0 else ("above", 1.5)
        plane.text(place, end, text, side, "muted", (0, away), size=plane.small)
    plane.axes.margins(y=0.15)
    plane.axes.set_yticks([])
    plane.bare()
    return bars


def draw_sum(plane: Plane, chart: Chart) -> float:
    """Terms of a sum: up what speaks for it, down what speaks against it, and what all come to; lines where marked."""
    terms = terms_of_sum(chart)
    values, marks = np.array([value for _, value, *_ in terms]), np.array([lost for *_, lost in terms])
    texts = [text for _, _, text, *_ in terms]
    if widest(texts) >= 0.9 * plane.wide / len(terms):
        texts = [text for _, _, text, *_ in terms_of_sum(chart, 1)]
    beyond = np.where(values < 0, np.fmin(values, marks), np.fmax(values, marks))
    bars = draw_signed(plane, np.arange(len(terms)), values, beyond, texts)
    costs = [f"\n{'gains' if lost < 0 else 'costs'} {whole(abs(lost), 2)}" for lost in marks]
    has = np.isfinite(marks)
    named = [f"{name}{cost if known else ''}" for (name, *_), cost, known in zip(terms, costs, has, strict=True)]
    plane.axes.hlines(marks[has], np.flatnonzero(has) - 0.42, np.flatnonzero(has) + 0.42, ink("ink"), linewidth=1.4)
    plane.axes.set_xlim(-0.6, len(terms) - 0.4)
    upright = 90 * (widest([line for text in named for line in text.split("\n")]) > 0.95 * plane.wide / len(terms))
    plane.axes.set_xticks(range(len(terms)), named, rotation=upright, color=ink("ink"))
    for bar, label, (_, value, _, what, _) in zip(bars, plane.axes.get_xticklabels(), terms, strict=True):
        if what in ("first", "sum"):
            label.set(color=of_sign(value), weight="bold")
        if what in ("sum", "beside"):
            bar.set(facecolor=ink("pale" if what == "sum" else "grid"))
    if has.any():
        plane.axes.set_xlabel("The lines: what hiding each word costs or gains", loc="left")
    return plane.standard(0.3)


def draw_spine(plane: Plane, chart: Chart) -> float:
    """What each part costs, in the order of the data: up what is weaker without it."""
    values, first, unit = np.nan_to_num(chart.numbers.array), chart.look["beside"], chart.unit
    most = max(float(np.abs(values).max(initial=0.0)), 1e-9)
    at, lost = np.arange(len(values)), "lost" in unit
    x = at + np.where(at < first, -0.5, 0.35 * ((at - first) // 2))
    written = in_points(chart) if "nats" not in unit else partial(signed, places=1)
    draw_signed(plane, x, values / most, values / most, [*map(written, values.tolist())])
    named = [*["position"] * first, *map(str, range((len(values) - first) // 2))]
    plane.axes.set_xticks([*x[:first], *(x[first::2] + 0.5)], named)
    up = unit if "nats" in unit else "points" if lost else "% of its length"
    plane.axes.set(xlabel="layer: attention, feed-forward", ylabel=up)
    ways = ("weaker without it", "stronger without it") if lost else ("changes without it",)
    for way, sign in zip(ways, (1, -1), strict=False):
        plane.axes.bar([np.nan], [np.nan], color=of_sign(sign), label=way)
    plane.legend()
    return max(9.0, 0.2 * plane.wide)


def end_of(rows: Sequence[np.ndarray]) -> float:
    """Where the colours of strips end: few numbers go beyond."""
    sizes = np.abs(np.concatenate([*rows, np.zeros(1)]))
    return float(np.quantile(sizes[np.isfinite(sizes)], 0.99, method="lower")) or 1.0


def draw_strips(plane: Plane, chart: Chart) -> float:
    """Vectors below one another, each number as a colour."""
    rows, names, top = [*np.asarray(chart.numbers.array, dtype=float)], chart.names(0), 0.0
    behind = np.isin(np.arange(len(rows)), chart.look.get("behind", []))
    before, after = (end_of([*np.array(rows)[behind == part]]) for part in (False, True))
    # One end for all, unless those behind go so much further, or less far.
    apart = behind.any() and max(before, after) > OTHER * min(before, after)
    ends = np.where(behind, after, before).tolist() if apart else [end_of(rows)] * len(rows)
    high = max(1.5, 0.045 * plane.wide)
    for row, end, name in zip(rows, ends, names, strict=True):
        plane.text(0, top + LINE, name, "over", "muted")
        top += 1.15 * LINE
        look: Any = {"cmap": colours("signed"), "norm": Normalize(-end, end), "edgecolors": "face", "linewidth": 0.1}
        sides = np.linspace(0, plane.wide, len(row) + 1)
        plane.axes.pcolormesh(sides, [top, top + high], np.ma.masked_invalid(row[None]), in_layout=False, **look)
        top += high + 0.3 * LINE
    written = [brief(end) for end in ends]
    own = sorted({f"{name}: -{end} to {end}" for name, end in zip(names, written, strict=True)})
    scale = f"from -{written[0]} (red) to {written[0]} (blue)" if len(set(written)) == 1 else "; ".join(own)
    plane.text(0, top + 0.2 * LINE, f"{len(rows[0]):,} numbers, coloured {scale}", "under", "muted")
    return plane.in_letters(top + 1.4 * LINE)


def draw_waves(plane: Plane, chart: Chart) -> float:
    """Sines and cosines over the positions, pair by pair: curves by their formula, dots as they were recorded."""
    axes, (x, curves) = plane.axes, chart.look["curves"]
    pairs = chart.numbers.array.reshape(*curves.shape[:2], -1)
    middles = -APART * np.arange(len(pairs))
    for name, middle, pair, lines in zip(chart.look["pairs"], middles, pairs, curves, strict=True):
        plane.text(0, middle + 1.1, name, "over", "ink", xycoords=axes.get_yaxis_transform())
        axes.plot(x[[0, -1]], [middle, middle], color=ink("grid"), linewidth=0.6)
        for dots, line, paint, dash in zip(pair, lines, ("accent", "second"), ("-", "--"), strict=True):
            axes.plot(x, middle + line, color=ink(paint), linestyle=dash, linewidth=0.9)
            axes.plot(middle + dots, ".", color=ink(paint), markersize=4)
    axes.axvline(chart.look["position"], color=ink("muted"), linewidth=0.8)
    axes.set_yticks([middle + end for middle in middles for end in (1, -1)], ["1", f"{MINUS}1"] * len(pairs))
    axes.set(ylim=(middles[-1] - 1.2, 2), xlabel="position")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plane.bare()
    return (LINE + 0.085 * plane.wide) * len(pairs)


def parts_in_row(
    plane: Plane, top: float, parts: Sequence[tuple[str, float, str]], unit: float, begun: str = ""
) -> float:
    """A bar of parts one after the other, those against the rest last, over what they take; below it what each is.

    A part has a text, a number, and a colour, "hatched" where it is not drawn elsewhere. Returns where all end.
    """
    looks: list[dict[str, Any]] = [
        {"facecolor": ink("page" if paint == "hatched" else paint), "edgecolor": ink("page")}
        | ({"hatch": "////"} if value < 0 else {})
        | ({"hatch": "||||", "edgecolor": ink("accent")} if paint == "hatched" else {})
        for _, value, paint in parts
    ]
    left, down, x = 0.0, top + 1.9 * LINE, widest([begun]) + 2 * bool(begun)
    for (_, value, _), look in sorted(zip(parts, looks, strict=True), key=lambda part: part[0][1] < 0):
        plane.box((left + min(value, 0.0)) * unit, top, abs(value) * unit, 1.5 * LINE, "none", **look)
        left += value
    plane.text(0, down, begun, "under", weight="bold")
    for (text, *_), look in zip(parts, looks, strict=True):
        if x and x + widest([text]) + LINE > plane.wide:
            x, down = 0.0, down + 1.2 * LINE
        plane.box(x, down + 0.2 * LINE, 0.6 * LINE, 0.6 * LINE, "none", **look)
        plane.text(x + LINE, down, text, "under", "muted")
        x += widest([text]) + 2.5 * LINE
    return down + 1.7 * LINE


def draw_stack(plane: Plane, chart: Chart) -> float:
    """A bar of parts for each series, on one scale unless one is far longer."""
    usual, top = chart.look.get("ends", {}), 0.0
    ends = {title: max(usual.get(title, 0.0), float(v.clip(0).sum())) for title, v in chart.series.items()}
    apart = max(ends.values()) > FAR * min(ends.values())
    for title, values in chart.series.items():
        total, unit = float(values.sum()), plane.wide / ((ends[title] if apart else max(ends.values())) or 1.0)
        plane.text(0, top + LINE, title, "over", weight="bold")
        top += 1.3 * LINE
        shares = adding_up((100 * values / total).tolist(), 100) if total else ["0"] * len(values)
        parts: list[tuple[str, float, str]] = []
        for name, value, share, paint in zip(chart.names(-1), values.tolist(), shares, INKS_OF_PARTS, strict=False):
            sign = "" if not parts else f"{MINUS} " if value < 0 else "+ "
            if value:
                parts.append((f"{sign}{name} {share.removeprefix(MINUS) if sign else share} %", value, paint))
        top = parts_in_row(plane, top, parts, unit, f"length {brief(total)}")
    return plane.in_letters(top)


def draw_circuit(plane: Plane, chart: Chart) -> float:
    """Arrows from the words that heads read to where they write; all that reach the gap fall into it."""
    look, wide, gap, words = chart.look, plane.wide, chart.look["gap"], chart.look["words"]
    single = [(*each, share) for each, share in zip(look["arrows"], map(float, chart.numbers.array), strict=True)]
    # Behind them what a head takes from several words, which begins where it ends.
    arrows = [*single, *((layer, head, gap, gap, share) for layer, head, share in look["from several"])]
    long = np.array([widest([word]) + 1.5 for word in words])
    size = max(LEAST_LETTERS / plane.letters, min(1.5, wide / long.sum()))
    ends = np.cumsum(size * long) + max(0.0, (wide - size * long.sum()) / 2)
    middles = (ends - size * long / 2)[:: -1 if from_the_right(words) else 1].tolist()
    rows, down = dict[int, float](), 3.4 * LINE
    for layer in sorted({each[0] for each in arrows}):
        begun = down
        for i in sorted((i for i, each in enumerate(arrows) if each[0] == layer), key=lambda i: -arrows[i][4]):
            high = max(1.7 * LINE, WHOLE * arrows[i][4] + 0.7 * LINE)
            rows[i], down = down + high / 2, down + high
        plane.box(0, begun, wide, down - begun, ink("grid"), alpha=0.45)
        plane.text(0.5, begun + 0.2, f"layer {layer}", "under", "muted")
        down += 0.5 * LINE
    end = down + 1.2 * LINE
    for i, (name, x) in enumerate(zip(words, middles, strict=True)):
        is_changed = i == look["changed"][0]
        box = ring(ink("accent") if i == gap else "none", 0.2)
        look_of_word: Any = {"size": size * plane.letters, "weight": "bold" if is_changed else "normal", "bbox": box}
        plane.text(x, 2.4 * LINE, name, "middle", "accent" if is_changed else "ink", **look_of_word)
        if is_changed:
            plane.text(x, 0.8 * LINE, f"B: {look['changed'][1]}", "middle", "second")
        if reached := [rows[j] for j, arrow in enumerate(arrows) if i in arrow[2:4]]:
            plane.axes.plot([x, x], [3.3 * LINE, max(reached)], color=ink("pale"), linewidth=0.7)
    falling = sorted((i for i, arrow in enumerate(arrows) if arrow[3] == gap), key=lambda i: rows[i])
    before = [i for i in falling if middles[arrows[i][2]] <= middles[gap]]
    turn, goals = middles[gap] - sum(WHOLE * arrows[i][4] + 0.2 for i in falling) / 2, dict[int, float]()
    for i in (*before[::-1], *(i for i in falling if i not in before)):  # so that none crosses another one
        goals[i] = turn + WHOLE * arrows[i][4] / 2
        turn += WHOLE * arrows[i][4] + 0.2
    for i, (layer, head, start, to, share) in enumerate(arrows):
        high, y, x, goal = max(0.13, WHOLE * share), rows[i], middles[start], goals.get(i, middles[to])
        tint, way = ink("accent" if i in goals else "pale"), float(np.sign(goal - x) or 1)
        if i in goals:
            bend = min(0.8 + high / 2, abs(goal - x))
            sides = [(x, y), (goal - way * bend, y), (goal, y), (goal, y + bend), (goal, end)]
            dashes: Any = {} if i < len(single) else {"linestyle": (0, (0.6, 0.6))}
            sides, codes = ([(goal, y), (goal, end)], [1, 2]) if start == gap else (sides, [1, 2, 3, 3, 2])
            plane.curve(sides, codes, tint, linewidth=high * plane.letters, **dashes)
        else:
            foot, half = goal - way * 0.7, high / 2 + 0.3
            plane.curve([(x, y), (foot, y)], [1, 2], tint, linewidth=high * plane.letters)
            plane.axes.fill([goal, foot, foot], [y, y - half, y + half], color=tint, linewidth=0)
        if i < len(single):
            plane.axes.plot([x], [y], "o", color=tint, markersize=0.9 * high * plane.letters + 1)
        source = words[start] if i < len(single) else "several words"
        text = f"{layer}.{head} from {source} {percent(share, 1)}"
        half, middle = widest([text]) / 2 + 0.6, (x + goal) / 2
        if abs(middle - x) < half:  # too short for its name, which stands behind where it begins
            middle = x + (half + LINE) * (1 if x + 2 * half + LINE < wide else -1)
        plane.text(min(wide - half, max(half + 5, middle)), y, text, bbox=ring(tint, page=ink("page"), line=0.5))
    word, share, turned = look["guess"]
    text, tint = f"{word} {whole_percent(share)}", ink("second" if turned else "accent")
    half = widest([text]) / 2 + LINE
    at = min(wide - half, max(half, middles[gap]))
    plane.text(at, end + 0.9 * LINE, text, weight="bold", bbox=ring(tint, 0.5, ink("page"), 1))
    end += 2.8 * LINE
    plane.text(0, end, "The whole change", "under", "muted")
    unit = wide / sum(max(part, 0.0) for _, part, _ in look["whole"])
    end = parts_in_row(plane, end + 1.4 * LINE, look["whole"], unit)
    return plane.in_letters(end)
