"""Bars, lines and outlines, the likeliest words at each position, and units on an activation's curve."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.formatting import percent, short
from encoder.support.theme import (
    ACCENT,
    BACKGROUND,
    GRID,
    LINES,
    MUTED,
    PAINTS,
    SECOND,
    TILTED,
    TWO,
    Kind,
    Theme,
    label,
    layout,
    limits,
    number_axis,
    scale,
    token_axis,
)

LEGEND = {"orientation": "h", "y": 1.15}
BARS = 24  # terms with a bar of their own
SAME = 1e-5  # of a value: what differs by less differs by rounding


def token_bars(
    values: dict[str, np.ndarray],
    tokens: list[str],
    *,
    title: str,
    theme: Theme = "light",
    logarithmic: bool = False,
    at: Sequence[int] | None = None,
    paints: Sequence[str] = TWO,
) -> Drawn:
    """One bar for each token and series; at most two series, told apart by colour, hatching and name.

    `at` are the positions of the tokens, where they are some of many; `paints` names the colours of the series.
    """
    hatching = {"shape": "/", "fillmode": "overlay", "fgcolor": BACKGROUND[theme], "solidity": 0.15, "size": 7}
    looks: tuple[dict[str, Any], ...] = ({}, hatching)
    bars = [
        mark(
            "bar",
            x=np.arange(len(tokens)),
            y=series.astype(np.float32),
            name=name,
            marker={"color": PAINTS[paint][theme], "pattern": hatch},
            hovertemplate=f"%{{x}}<br>{name} %{{y:.6g}}<extra></extra>",
        )
        for (name, series), paint, hatch in zip(values.items(), paints, looks, strict=False)
    ]
    down = number_axis(title, theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    down |= {"type": "log", "exponentformat": "power", "dtick": 1} | below(values) if logarithmic else {}
    frame = layout(theme, 300, xaxis=token_axis(tokens, None, at=at) | TILTED, yaxis=down, bargap=0.25)
    frame |= {"showlegend": len(bars) > 1, "legend": LEGEND}
    return draw(bars, frame)


def below(values: dict[str, np.ndarray]) -> dict[str, Any]:
    """The range of a logarithmic axis that begins below the smallest bar, so that each bar has a length."""
    logarithms = np.log10([v for series in values.values() for v in np.ravel(series).tolist() if 0 < v < np.inf])
    return {"range": [float(logarithms.min()) - 1, float(logarithms.max()) + 0.2]} if logarithms.size else {}


def likeliest(
    words: list[list[str]],
    values: np.ndarray,
    tokens: list[str],
    *,
    kind: Kind,
    theme: Theme = "light",
    row_title: str = "position",
) -> Drawn:
    """For each position the words with the largest value, best first: words and values are [n, k]."""
    low, high = limits(kind, float(np.abs(values).max(initial=0.0)))
    written = percent if kind == "share" else short
    heat = mark(
        "heatmap",
        z=values.astype(np.float32),
        zmin=low,
        zmax=high,
        colorscale=scale(kind, theme),
        colorbar={"thickness": 12, "outlinewidth": 0},
        text=[
            [f"{label(word, 12)} {written(v)}" for word, v in zip(row, vs, strict=True)]
            for row, vs in zip(words, values.tolist(), strict=True)
        ],
        texttemplate="%{text}",
        textfont={"size": 12},
        hovertemplate="at %{y}: %{text}<extra></extra>",
    )
    ranks = [f"{i + 1}." for i in range(values.shape[1])]
    down = token_axis(tokens, row_title)
    down["range"] = [len(tokens) - 0.5, -0.5]
    across = token_axis(ranks, "rank") | {"side": "top"}
    frame = layout(theme, min(900, max(220, 26 * len(tokens) + 80)), xaxis=across, yaxis=down)
    return draw(heat, frame)


def term_bars(values: np.ndarray, names: list[str], theme: Theme = "light") -> Drawn:
    """The largest terms of a sum as bars, and the sum of all the others as one more."""
    return signed_bars(*first_terms(values, names), theme)


def first_terms(values: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The largest terms of a sum, the sum of all others as one more, and their names."""
    order = np.argsort(-np.abs(values), kind="stable")
    first, left = values[order[:BARS]], values[order[BARS:]]
    called = [names[i] for i in order[:BARS]]
    return (np.append(first, left.sum()), [*called, f"{len(left):,} more"]) if len(left) else (first, called)


def signed_bars(heights: np.ndarray, names: list[str], theme: Theme = "light") -> Drawn:
    """A bar for each term of a sum, those below zero in a colour of their own."""
    terms = heights.astype(np.float32)
    bars = mark(
        "bar",
        x=np.arange(len(terms)),
        y=terms,
        marker={"color": np.where(heights < 0, SECOND[theme], ACCENT[theme]).tolist()},
        hovertemplate="%{x}<br>%{y:.6g}<extra></extra>",
    )
    long = number_axis("term", theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    frame = layout(theme, 220, xaxis=token_axis(names, None) | TILTED, yaxis=long, bargap=0.25)
    return draw(bars, frame)


def race(ranks: np.ndarray, words: list[str], theme: Theme = "light") -> Drawn:
    """Where each of up to four words stands after each layer, the first on top; ranks [n_layers + 1, words]."""
    series = {label(word): ranks[:, i] for i, word in enumerate(words)}
    return lines(series, np.arange(len(ranks)) - 1, theme=theme, **race_axes(ranks))


def race_axes(ranks: np.ndarray) -> dict[str, Any]:
    """What the axes of a race are called, and what they show."""
    layers, worst = len(ranks) - 1, int(ranks.max())
    edge = 0.02 * max(1, layers)
    after = range(-1, layers, 1 + layers // 12)  # layers that are written; -1 is before the first
    texts = ["input" if i < 0 else str(i) for i in after]
    across = {"range": [-1 - edge, layers - 1 + edge], "tickvals": [*after], "ticktext": texts}
    down = {"range": [math.log10(max(2, worst)) + 0.1, -0.1], "dtick": 1}
    return {"titles": ("after layer", "rank"), "logarithmic": (False, True), "frames": (across, down)}


def level(values: np.ndarray) -> dict[str, Any]:
    """The range of an axis whose values are the same but for what float32 rounds: rounding is no zigzag."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf))
    size = max(abs(low), abs(high))
    if not finite.size or high - low > SAME * size:
        return {}
    half = 0.5 * size or 0.5
    return {"range": [(low + high) / 2 - half, (low + high) / 2 + half]}


def curves(
    x: np.ndarray, series: Mapping[str, np.ndarray], hover: str, theme: Theme, *, mode: str, **line: str
) -> list[dict[str, Any]]:
    """A curve for each of the series, told apart by colour, dash and name; `hover` is what a point says."""
    return [
        mark(
            "scatter",
            x=x.astype(np.float32),
            y=y.astype(np.float32),
            name=name,
            mode=mode,
            line={"color": colour[theme], "dash": dash, **line},
            hovertemplate=f"{name}<br>{hover}<extra></extra>",
        )
        for (name, y), (colour, dash) in zip(series.items(), LINES[: len(series)], strict=True)
    ]


def lines(
    series: dict[str, np.ndarray],
    x: np.ndarray,
    titles: tuple[str, str],
    *,
    logarithmic: tuple[bool, bool] = (False, False),
    theme: Theme = "light",
    frames: tuple[dict[str, Any], dict[str, Any]] = ({}, {}),
) -> Drawn:
    """Up to four lines over the same x, told apart by colour, dash and name; `titles` name the axes x and y.

    `frames` are what else Plotly is told of both.
    """
    drawn = curves(x, series, "%{x}: %{y:.6g}", theme, mode="lines+markers")
    axes = [
        number_axis(title, theme) | {"type": "log" if log else "linear", "exponentformat": "power"}
        for title, log in zip(titles, logarithmic, strict=True)
    ]
    axes[1] |= level(np.concatenate([np.ravel(y) for y in series.values()])) if not logarithmic[1] else {}
    down = axes[1] | {"showgrid": True, "gridcolor": GRID[theme]} | frames[1]
    frame = layout(theme, 340, xaxis=axes[0] | frames[0], yaxis=down)
    frame |= {"showlegend": True, "legend": LEGEND}
    return draw(drawn, frame)


def units_on_curve(
    curve: tuple[np.ndarray, np.ndarray], hidden: np.ndarray, activation: np.ndarray, theme: Theme = "light"
) -> Drawn:
    """The curve as a line; each unit at its number before [units] and after [units] the activation."""
    line = mark(
        "scatter",
        x=curve[0].astype(np.float32),
        y=curve[1].astype(np.float32),
        mode="lines",
        line={"color": MUTED[theme], "width": 1.5},
        hoverinfo="skip",
    )
    units = mark(
        "scatter",
        x=hidden.astype(np.float32),
        y=activation.astype(np.float32),
        mode="markers",
        marker={"color": ACCENT[theme], "size": 6, "opacity": 0.5},
        customdata=np.arange(len(hidden), dtype=np.int32),
        hovertemplate="unit %{customdata}<br>%{x:.6g} becomes %{y:.6g}<extra></extra>",
    )
    across = number_axis("before the activation", theme) | {"zeroline": True, "zerolinecolor": GRID[theme]}
    down = number_axis("after it", theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    frame = layout(theme, 360, xaxis=across, yaxis=down)
    return draw([line, units], frame)


def outlines(middle: np.ndarray, shares: dict[str, np.ndarray], title: str, theme: Theme = "light") -> Drawn:
    """The outline of each set, from the middle of each bin and the shares of each set."""
    drawn = curves(middle, shares, "about %{x:.4g}: %{y:.2%} of the numbers", theme, mode="lines", shape="hvh")
    down = number_axis("share of the numbers", theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    frame = layout(theme, 320, xaxis=number_axis(f"{title} (the outermost bins hold all beyond)", theme), yaxis=down)
    frame |= {"showlegend": True, "legend": LEGEND}
    return draw(drawn, frame)
