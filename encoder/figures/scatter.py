"""Points in the plane: the paths of tokens through the layers, and heads by their likeness."""

import numpy as np
import plotly.graph_objects as go

from encoder.export.tables import Rows, columns, numbered
from encoder.figures.drawn import Drawn, draw
from encoder.figures.theme import ACCENT, INK, Theme, layout, number_axis, palette
from encoder.formatting import shown


def paths(points: np.ndarray, tokens: list[str], titles: tuple[str, str], theme: Theme = "light") -> Drawn:
    """One line for each token through the layers; points [layers, n, 2]. The token's name stands at its last point.

    Every line has a colour of its own from one scale, in the order of the sentence, so none repeats.
    """
    n = points.shape[1]
    ramp = palette("positive", theme)
    colours = [ramp[60 + round(190 * i / max(1, n - 1))] for i in range(n)]
    lines = [
        go.Scatter(
            x=points[:, i, 0].astype(np.float32),
            y=points[:, i, 1].astype(np.float32),
            mode="lines+markers+text",
            text=[""] * (len(points) - 1) + [shown(tokens[i], 12).replace("<", "&lt;")],
            textposition="top center",
            textfont={"color": INK[theme]},
            line={"color": "rgb({},{},{})".format(*colours[i]), "width": 1.5},
            marker={"size": [9, *[4] * (len(points) - 2), 7][: len(points)], "symbol": "circle"},
            customdata=np.arange(len(points), dtype=np.int32),
            hovertemplate=f"{i} {shown(tokens[i]).replace('<', '&lt;')}, after layer %{{customdata}}<extra></extra>",
        )
        for i in range(n)
    ]
    axes = [number_axis(title, theme) for title in titles]

    def numbers() -> Rows:
        yield ("token", "after layer", *titles)
        for i, name in enumerate(numbered(tokens)):
            yield from ((name, layer, *points[layer, i]) for layer in range(len(points)))

    return draw(lines, layout(theme, 560, xaxis=axes[0], yaxis=axes[1]), numbers)


def named_points(points: np.ndarray, names: list[str], chosen: int, theme: Theme = "light") -> Drawn:
    """Named points in a plane whose axes mean nothing by themselves; points [k, 2]."""
    ring = [3 if i == chosen else 0 for i in range(len(names))]
    dots = go.Scatter(
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
    return draw(dots, frame, lambda: columns("name", names, {"x": points[:, 0], "y": points[:, 1]}))
