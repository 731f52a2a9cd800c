"""How numbers are spread: one outline for each of up to four sets of them, over the same bins."""

import numpy as np

from encoder.pictures.figures.charts import LEGEND
from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.theme import GRID, LINES, Theme, layout, number_axis


def outlines(middle: np.ndarray, shares: dict[str, np.ndarray], title: str, theme: Theme = "light") -> Drawn:
    """The outline of each set, from the middle of each bin and the shares of each set."""
    drawn = [
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
    return draw(drawn, frame)
