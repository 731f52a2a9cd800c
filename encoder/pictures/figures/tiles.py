"""All heads of a step in one picture: a tile for each head, on one colour scale."""

import math
from collections.abc import Sequence

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.pictures.paper.panel import heat_map, with_ends
from encoder.support.formatting import short
from encoder.support.theme import Kind, Theme, labels, layout, limits, scale

MOST_LABELS = 64  # names along one side
TALLEST = 700  # pixels of all tiles together, so that a picture fits on a sheet of paper
ROOM = 18  # pixels for the name of a tile


def tiles(
    values: Sequence[np.ndarray] | np.ndarray,
    rows: list[str],
    columns: list[str] | str,
    names: list[str],
    *,
    kind: Kind,
    theme: Theme = "light",
    across: int = 0,
) -> Drawn:
    """One heatmap with a tile for each of `names`, its name above it; values [tiles, rows, columns].

    `across` tiles stand in a row, else four narrow or two wide ones. The colour scale is that of all together.
    """
    values = np.asarray(values)
    count, n, m = values.shape
    across = min(count, across or (4 if isinstance(columns, list) else 2))
    down = math.ceil(count / across)
    side = max(2.0, min(20.0, (TALLEST / down - ROOM) / n))  # pixels of a row
    gap = math.ceil(ROOM / side)  # rows above a tile, for its name
    whole = np.full((down * (n + gap), across * (m + 1) - 1), np.nan, dtype=np.float32)
    corners = [(i // across * (n + gap) + gap, i % across * (m + 1)) for i in range(count)]
    for (top, left), tile in zip(corners, values, strict=True):
        whole[top : top + n, left : left + m] = np.where(np.isfinite(tile), tile, np.nan)
    finite = np.abs(values[np.isfinite(values)])
    low, high = limits(kind, float(finite.max(initial=0.0)))
    heat = mark(
        "heatmap",
        z=whole,
        zmin=low,
        zmax=high,
        colorscale=scale(kind, theme),
        colorbar={"thickness": 12, "outlinewidth": 0, "tickformat": ".3~g"},
        hovertemplate="%{y} · %{x}<br>%{z:.6g}<extra></extra>",
        hoverongaps=False,
    )
    titles = [
        {"text": name, "x": left + (m - 1) / 2, "y": top - 0.5, "yanchor": "bottom", "showarrow": False}
        for name, (top, left) in zip(names, corners, strict=True)
    ]
    frame = layout(
        theme,
        max(220, round(side * len(whole)) + 70),
        xaxis=axis(columns if isinstance(columns, list) else [], m + 1, across, 0) | {"tickangle": -60},
        yaxis=axis(rows, n + gap, down, gap) | {"range": [len(whole) - 0.5, -0.5]},
        annotations=titles,
    )
    maps = [heat_map(tile, rows, columns, kind, title=name) for name, tile in zip(names, values, strict=True)]
    return draw(heat, frame, f"{short(low)} to {short(high)}", [with_ends(each, kind, low, high) for each in maps])


def axis(tokens: list[str], every: int, times: int, first: int) -> dict[str, object]:
    """An axis along which the same names come again `every` so many places; none where there are too many."""
    shown = labels(tokens) if len(tokens) * times <= MOST_LABELS else []
    return {
        "tickvals": [first + t * every + i for t in range(times) for i in range(len(shown))],
        "ticktext": shown * times,
        "tickfont": {"size": 10},
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
    }
