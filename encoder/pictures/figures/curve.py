"""An activation's curve, and one token's units as points on it."""

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.theme import ACCENT, GRID, MUTED, Theme, layout, number_axis


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
