"""Bars for each token, and the likeliest words at each position."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from encoder.export.tables import Rows, columns, numbered
from encoder.figures.drawn import Drawn, draw
from encoder.figures.theme import (
    ACCENT,
    BACKGROUND,
    GRID,
    SECOND,
    Kind,
    Theme,
    label,
    layout,
    limits,
    number_axis,
    scale,
    token_axis,
)
from encoder.formatting import short

BARS = 24  # terms with a bar of their own


def token_bars(values: dict[str, np.ndarray], tokens: list[str], *, title: str, theme: Theme = "light") -> Drawn:
    """One bar for each token and series; at most two series, told apart by colour, hatching and name."""
    hatching = {"shape": "/", "fillmode": "overlay", "fgcolor": BACKGROUND[theme], "solidity": 0.15, "size": 7}
    looks: tuple[tuple[str, dict[str, Any]], ...] = ((ACCENT[theme], {}), (SECOND[theme], hatching))
    bars = [
        go.Bar(
            x=np.arange(len(tokens)),
            y=series.astype(np.float32),
            name=name,
            marker={"color": colour, "pattern": hatch},
            hovertemplate=f"%{{x}}<br>{name} %{{y:.6g}}<extra></extra>",
        )
        for (name, series), (colour, hatch) in zip(values.items(), looks[: len(values)], strict=True)
    ]
    down = number_axis(title, theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    frame = layout(theme, 300, xaxis=token_axis(tokens, None), yaxis=down, bargap=0.25)
    figure = draw(bars, frame, lambda: columns("token", numbered(tokens), values))
    figure.update_layout(showlegend=len(bars) > 1, legend={"orientation": "h", "y": 1.15})
    return figure


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
    heat = go.Heatmap(
        z=values.astype(np.float32),
        zmin=low,
        zmax=high,
        colorscale=scale(kind, theme),
        colorbar={"thickness": 12, "outlinewidth": 0},
        text=[
            [f"{label(word, 12)} {short(v)}" for word, v in zip(row, vs, strict=True)]
            for row, vs in zip(words, values.tolist(), strict=True)
        ],
        texttemplate="%{text}",
        hovertemplate="at %{y}: %{text}<extra></extra>",
    )
    ranks = [f"{i + 1}." for i in range(values.shape[1])]
    down = token_axis(tokens, row_title)
    down["range"] = [len(tokens) - 0.5, -0.5]
    across = token_axis(ranks, "rank") | {"side": "top"}
    frame = layout(theme, min(900, max(220, 26 * len(tokens) + 80)), xaxis=across, yaxis=down)
    return draw(heat, frame, lambda: ranked(words, values, tokens), f"{short(low)} to {short(high)}")


def ranked(words: list[list[str]], values: np.ndarray, tokens: list[str]) -> Rows:
    """A row for each place and rank."""
    yield ("token", "rank", "word", "value")
    for name, row, numbers in zip(numbered(tokens), words, values, strict=True):
        yield from ((name, r + 1, word, value) for r, (word, value) in enumerate(zip(row, numbers, strict=True)))


def term_bars(values: np.ndarray, names: list[str], theme: Theme = "light") -> Drawn:
    """The first terms of a sum as bars, and the sum of all the others as one more; `names` are those of the first."""
    drawn, rest = values[:BARS], values[BARS:]
    heights = np.append(drawn, rest.sum()) if len(rest) else drawn
    said = [*names[:BARS], f"{len(rest)} more"] if len(rest) else names
    bars = go.Bar(
        x=np.arange(len(heights)),
        y=heights.astype(np.float32),
        marker={"color": np.where(heights < 0, SECOND[theme], ACCENT[theme]).tolist()},
        hovertemplate="%{x}<br>%{y:.6g}<extra></extra>",
    )
    down = number_axis("term", theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    frame = layout(theme, 220, xaxis=token_axis(said, None), yaxis=down, bargap=0.25)
    return draw(bars, frame, lambda: columns("term", said, {"value": heights}))


def lines(
    series: dict[str, np.ndarray],
    x: np.ndarray,
    titles: tuple[str, str],
    *,
    logarithmic: tuple[bool, bool] = (False, False),
    theme: Theme = "light",
) -> Drawn:
    """Up to four lines over the same x, told apart by colour, dash and name; `titles` name the axes x and y."""
    looks = [(ACCENT, "solid"), (SECOND, "solid"), (ACCENT, "dot"), (SECOND, "dot")]
    drawn = [
        go.Scatter(
            x=x.astype(np.float32),
            y=y.astype(np.float32),
            name=name,
            mode="lines+markers",
            line={"color": colour[theme], "dash": dash},
            hovertemplate=f"{name}<br>%{{x}}: %{{y:.6g}}<extra></extra>",
        )
        for (name, y), (colour, dash) in zip(series.items(), looks[: len(series)], strict=True)
    ]
    axes = [number_axis(title, theme) | {"type": "log" if log else "linear", "exponentformat": "power"}
            for title, log in zip(titles, logarithmic, strict=True)]  # fmt: skip
    frame = layout(theme, 340, xaxis=axes[0], yaxis=axes[1] | {"showgrid": True, "gridcolor": GRID[theme]})
    figure = draw(drawn, frame, lambda: columns(titles[0], x, series))
    figure.update_layout(showlegend=True, legend={"orientation": "h", "y": 1.15})
    return figure
