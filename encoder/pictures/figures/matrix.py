"""A matrix as a heatmap: rows are tokens, columns are tokens or dimensions."""

from collections.abc import Sequence

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.pictures.paper.panel import heat_map, with_ends
from encoder.support.formatting import short
from encoder.support.theme import Kind, Theme, layout, limits, number_axis, scale, token_axis

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
    drawn = with_ends(heat_map(values, rows, columns, kind), kind, low, high)
    return draw(heat, frame, f"{short(low)} to {short(high)}", [drawn])
