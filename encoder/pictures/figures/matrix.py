"""A matrix as a heatmap, rows and columns being tokens or dimensions; and several on one colour scale as tiles."""

import math
from collections.abc import Sequence

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.formatting import short
from encoder.support.theme import Kind, Theme, labels, layout, limits, number_axis, scale, token_axis

MOST_CELLS = 128 * 128  # above this a picture carries 255 levels instead of exact numbers
LEVELS = 254
CLEAR = "rgba(0, 0, 0, 0)"


def matrix(
    values: np.ndarray,
    rows: list[str],
    columns: list[str] | str,
    *,
    kind: Kind,
    theme: Theme = "light",
    row_title: str = "",
    column_title: str = "",
    largest: float | None = None,
    at: Sequence[int] | None = None,
    longest: int = 14,
    fit: bool = False,
    blank: float | None = None,
) -> Drawn:
    """A heatmap of values [rows, columns].

    `columns` is a list of tokens, or the name of what is counted along the columns ("dimension"). The colour scale
    is 0..1 for shares, symmetric about zero for signed values; `largest` locks its end across pictures. With `fit` the
    scale of values that are all above zero goes from the least to the largest. Cells of minus infinity stay blank, and
    so do those of `blank`, the number that a mask puts. `at` are the positions of tokens that are some of many,
    `longest` the most letters of a row's name. Above 128 x 128 cells the picture carries 255 levels, said in the hover
    text with a "≈".
    """
    if blank is not None:
        values = np.where(values == np.float32(blank), np.float32(-np.inf), values)
    finite = values[np.isfinite(values)]
    low, high = limits(kind, largest if largest is not None else float(np.abs(finite).max(initial=0.0)))
    if fit and (least := float(finite.min(initial=high))) > 0 and least < high:
        kind, low = "positive", least
    row_name = "%{y}"
    column_name = "%{x}" if isinstance(columns, list) else columns + " %{x}"
    colours, holes = scale(kind, theme), ~np.isfinite(values)
    exact = values.size <= MOST_CELLS
    ticks = np.linspace(low, high, 5)
    bar: dict[str, object] = {"thickness": 12, "outlinewidth": 0}
    bar |= {"tickvals": ticks, "ticktext": [short(t) for t in ticks]}  # Plotly's own choice leaves out the ends
    if exact:
        z, ends = values.astype(np.float32), (low, high)
        shown = "%{z:.6g}"
    else:
        level = 1 + np.where(holes, 0, (values - low) / (high - low)).clip(0, 1) * LEVELS
        z, ends = np.where(holes, 0, level.round()).astype(np.uint8), (0, LEVELS + 1)
        levels = [[(1 + LEVELS * place) / (LEVELS + 1), colour] for place, colour in colours]
        edge = 0.5 / (LEVELS + 1)
        colours = [[0, CLEAR], [edge, CLEAR], [edge, colours[0][1]], *levels]
        bar |= {"tickvals": 1 + (ticks - low) / (high - low) * LEVELS}
        shown = f"≈ level %{{z}} of {LEVELS + 1}, from {short(low)} to {short(high)}"
    heat = mark(
        "heatmap",
        z=z,
        zmin=ends[0],
        zmax=ends[1],
        colorscale=colours,
        colorbar=bar,
        hovertemplate=f"{row_name} · {column_name}<br>{shown}<extra></extra>",
    )
    down = token_axis(rows, row_title, at=at, longest=longest)
    down["range"] = [len(rows) - 0.5, -0.5]
    if isinstance(columns, list):
        across = token_axis(columns, column_title, room=32, at=at) | {"side": "top", "tickangle": -45}
        height = min(760, 24 * len(rows) + 130)
    else:
        across = number_axis(column_title, theme) | {"side": "top"}
        height = min(640, 22 * len(rows) + 90)
    frame = layout(theme, max(height, 220), xaxis=across, yaxis=down)
    return draw(heat, frame)


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
    return draw(heat, frame)


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
