"""How numbers are spread: one outline for each of up to four sets of them, over the same bins."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from encoder.export.tables import columns
from encoder.figures.charts import LEGEND
from encoder.figures.drawn import Drawn, draw, mark
from encoder.theme import GRID, LINES, Theme, layout, number_axis

Floats = NDArray[np.float64]
BINS = 60
MIDDLE = (0.005, 0.995)


def shares_in_bins(sets: Mapping[str, ArrayLike]) -> tuple[Floats, dict[str, Floats]]:
    """The share of each set's finite numbers in bins of equal width over the middle 99 % of every set.

    The first bin holds all numbers below as well, and the last one all above: a few channels of a trained model are a
    hundred times as large as the others, and would leave one bin for all of those.

    Returns:
        the middle of each bin, and for each set its shares; both [BINS].
    """
    arrays = {name: np.asarray(values) for name, values in sets.items()}
    finite = {name: values[np.isfinite(values)].ravel() for name, values in arrays.items()}
    ends = np.array([np.quantile(one, MIDDLE) for one in finite.values() if one.size] or [(0.0, 1.0)])
    low, high = float(ends.min()), float(ends.max())
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    shares = {
        name: np.histogram(one.clip(edges[0], edges[-1]), edges)[0] / max(1, one.size) for name, one in finite.items()
    }
    return (edges[1:] + edges[:-1]) / 2, shares


def histogram(sets: dict[str, np.ndarray], title: str, theme: Theme = "light") -> Drawn:
    """The outline of each set: its share of numbers in each of the bins of `shares_in_bins`."""
    middle, shares = shares_in_bins(sets)
    outlines = [
        mark(
            "scatter",
            x=middle.astype(np.float32),
            y=share.astype(np.float32),
            name=name,
            mode="lines",
            line={"color": colour[theme], "dash": dash, "shape": "hvh"},
            hovertemplate=f"{name}<br>about %{{x:.4g}}: %{{y:.2%}} of the numbers<extra></extra>",
        )
        for (name, share), (colour, dash) in zip(shares.items(), LINES[: len(shares)], strict=True)
    ]
    down = number_axis("share of the numbers", theme) | {"showgrid": True, "gridcolor": GRID[theme]}
    frame = layout(theme, 320, xaxis=number_axis(f"{title} (the outermost bins hold all beyond)", theme), yaxis=down)
    frame |= {"showlegend": True, "legend": LEGEND}
    return draw(outlines, frame, lambda: columns(f"{title}, middle of the bin", middle, shares))
