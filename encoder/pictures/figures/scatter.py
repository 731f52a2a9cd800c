"""Points in the plane, the paths of tokens through the layers, and lines from token to token."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.formatting import shown
from encoder.support.theme import ACCENT, INK, Theme, labels, layout, number_axis, palette

WIDE, HIGH = 600, 420  # pixels in which the ends of the paths stand, on a small screen
LETTER, LINE, DOT = 7, 15, 5  # pixels of a letter, a line of text, and a point


def paths(points: np.ndarray, tokens: list[str], titles: tuple[str, str], theme: Theme = "light") -> Drawn:
    """One line for each token through the layers; points [layers, n, 2].

    A token's name stands at its last point, unless it would lie on another name. Every line has a colour of its own
    from one scale, in the order of the sentence, so none repeats.
    """
    n = points.shape[1]
    ramp = palette("positive", theme)
    colours = [ramp[60 + round(190 * i / max(1, n - 1))] for i in range(n)]
    names = [shown(token, 12).replace("<", "&lt;") for token in tokens]
    sides = apart(points[-1], names, np.ptp(points.reshape(-1, 2), axis=0))
    lines = [
        mark(
            "scatter",
            x=points[:, i, 0].astype(np.float32),
            y=points[:, i, 1].astype(np.float32),
            mode="lines+markers+text",
            text=[""] * (len(points) - 1) + [names[i] if sides[i] else ""],
            textposition=sides[i] or "top center",
            textfont={"color": INK[theme]},
            line={"color": "rgb({},{},{})".format(*colours[i]), "width": 1.5},
            marker={"size": [9, *[4] * (len(points) - 2), 7][: len(points)], "symbol": "circle"},
            customdata=np.arange(len(points), dtype=np.int32),
            hovertemplate=f"{i} {shown(tokens[i]).replace('<', '&lt;')}, after layer %{{customdata}}<extra></extra>",
        )
        for i in range(n)
    ]
    axes = [number_axis(title, theme) for title in titles]
    return draw(lines, layout(theme, 560, xaxis=axes[0], yaxis=axes[1]))


def apart(
    points: np.ndarray, names: list[str], spread: np.ndarray, plane: tuple[float, float] = (WIDE, HIGH)
) -> list[str]:
    """On which side of its point each name has room, as Plotly says it; empty for those that have none.

    Sizes are those of a plane of so many pixels, wide and high, that holds all that is drawn, `spread` [2] from end to
    end; the points [k, 2] with names may be a small part of it.
    """
    spread = np.maximum(spread, 1e-9)
    at = (points - points.min(0)) / spread * plane
    taken: list[tuple[float, float, float, float]] = []
    sides = []
    for (x, y), name in zip(at.tolist(), names, strict=True):
        wide = LETTER * len(name)
        boxes = {
            "top center": (x - wide / 2, y + DOT),
            "bottom center": (x - wide / 2, y - DOT - LINE),
            "middle right": (x + DOT, y - LINE / 2),
            "middle left": (x - DOT - wide, y - LINE / 2),
        }
        free = {side: (left, low, left + wide, low + LINE) for side, (left, low) in boxes.items()}
        side = next((side for side, box in free.items() if not any(map(partial(overlap, box), taken))), "")
        if side:
            taken.append(free[side])
        sides.append(side)
    return sides


def overlap(box: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether two boxes, each left, low, right, high, cover a common place."""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def named_points(points: np.ndarray, names: list[str], chosen: int, theme: Theme = "light") -> Drawn:
    """Named points in a plane whose axes mean nothing by themselves; points [k, 2]."""
    ring = [3 if i == chosen else 0 for i in range(len(names))]
    dots = mark(
        "scatter",
        x=points[:, 0].astype(np.float32),
        y=points[:, 1].astype(np.float32),
        mode="markers+text",
        text=names,
        textposition="top center",
        textfont={"color": INK[theme], "size": 11},
        marker={"color": ACCENT[theme], "size": 9, "line": {"width": ring, "color": INK[theme]}},
        hovertemplate="%{text}<extra></extra>",
    )
    bare = {"showgrid": False, "zeroline": False, "showticklabels": False}
    frame = layout(theme, 520, xaxis=bare, yaxis=bare | {"scaleanchor": "x"})
    return draw(dots, frame)


def plane(points: np.ndarray, names: list[str], chosen: int, titles: tuple[str, str], theme: Theme = "light") -> Drawn:
    """Named points on two axes with `titles`; points [k, 2]. A name is left out where it would lie on another one."""
    sides = apart(points, names, np.ptp(points, axis=0))
    dots = mark(
        "scatter",
        x=points[:, 0].astype(np.float32),
        y=points[:, 1].astype(np.float32),
        mode="markers+text",
        text=[name if side else "" for name, side in zip(names, sides, strict=True)],
        textposition=[side or "top center" for side in sides],
        textfont={"color": INK[theme], "size": 11},
        hovertext=names,
        marker={
            "color": ACCENT[theme],
            "size": [13 if i == chosen else 8 for i in range(len(names))],
            "line": {"width": [3 if i == chosen else 0 for i in range(len(names))], "color": INK[theme]},
        },
        hovertemplate="%{hovertext}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
    )
    axes = [number_axis(title, theme) for title in titles]
    frame = layout(theme, 460, xaxis=axes[0], yaxis=axes[1])
    return draw(dots, frame)


LEVELS = 12  # lines are drawn in so many strengths
LEAST = 0.02  # weights below this have no line


def links(
    weights: np.ndarray, tokens: list[str], chosen: list[int], theme: Theme = "light", at: Sequence[int] | None = None
) -> Drawn:
    """Lines from the looking tokens on the left to those looked at on the right; weights [n, n], rows look.

    With `chosen` tokens, only the lines that leave or reach one of them. Lines under 0.02 are left out; how much weight
    that is, `undrawn` says. `at` are the positions of tokens that are some of many.
    """
    n = len(tokens)
    shown = np.where(weights >= LEAST, weights, 0.0)
    if chosen:
        kept = np.zeros((n, n), dtype=bool)
        kept[chosen] = True
        kept[:, chosen] = True
        shown = np.where(kept, shown, 0.0)
    strength = np.ceil(shown * LEVELS).astype(int).clip(0, LEVELS)
    lines = []
    for level in range(1, LEVELS + 1):
        rows, columns = np.nonzero(strength == level)
        if len(rows):
            gap = np.full(len(rows), np.nan)
            lines.append(
                mark(
                    "scatter",
                    x=np.stack([np.zeros(len(rows)), np.ones(len(rows)), gap], 1).ravel().astype(np.float32),
                    y=np.stack([rows, columns, gap], 1).ravel().astype(np.float32),
                    mode="lines",
                    line={"color": ACCENT[theme], "width": 0.5 + 5 * level / LEVELS},
                    opacity=0.25 + 0.75 * level / LEVELS,
                    hoverinfo="skip",
                )
            )
    names, marked = labels(tokens), set(chosen)
    texts = [f"\u00a0<b>{name}</b>\u00a0" if i in marked else f"\u00a0{name}\u00a0" for i, name in enumerate(names)]
    for x, side in ((0, "middle left"), (1, "middle right")):
        lines.append(
            mark(
                "scatter",
                x=np.full(n, x, dtype=np.int32),
                y=np.arange(n, dtype=np.int32),
                mode="text",
                text=texts,
                textposition=side,
                textfont={"color": INK[theme]},
                hoverinfo="skip",
            )
        )
    hidden = {"visible": False, "fixedrange": True}
    frame = layout(
        theme,
        min(1600, max(220, 22 * n + 20)),
        xaxis=hidden | {"range": [-0.5, 1.5]},
        yaxis=hidden | {"range": [n - 0.5, -0.5]},
    )
    return draw(lines, frame)


def undrawn(weights: np.ndarray) -> float:
    """The share of all weight that is in lines too weak to be drawn."""
    return float(weights[weights < LEAST].sum() / weights.sum())
