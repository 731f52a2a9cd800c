"""A Plotly figure that keeps what stands for it on paper and in a table."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from encoder.pictures.export.tables import Rows
from encoder.pictures.paper.panel import HeatMap


class Drawn(go.Figure):  # type: ignore[misc]
    """A Plotly figure with its own numbers.

    `numbers` makes the rows of a table, the header first; `scale` says the ends of the colour scale, where there is
    one. `maps` are the maps of a picture that is no chart, with the exact numbers, for paper.
    """

    numbers: Callable[[], Rows] | None = None
    scale: str = ""
    maps: Sequence[HeatMap] = ()


def mark(kind: str, **looks: Any) -> dict[str, Any]:
    """One of Plotly's own traces ("heatmap", "scatter", "bar") as plain data."""
    return {"type": kind, **looks}


def draw(
    marks: dict[str, Any] | list[dict[str, Any]],
    frame: dict[str, Any],
    scale: str = "",
    maps: Sequence[HeatMap] = (),
) -> Drawn:
    """A figure of these marks in this frame.

    Plotly does not check what it is given here, which takes ten times as long as to draw it; the tests have it check.
    """
    figure = Drawn({"data": marks if isinstance(marks, list) else [marks], "layout": frame}, _validate=False)
    figure.scale, figure.maps = scale, maps
    return figure


def numbers_of(figure: go.Figure) -> Rows:
    """The rows behind a figure; of one that does not keep them, every drawn point with its x, y and z."""
    if isinstance(figure, Drawn) and figure.numbers is not None:
        return figure.numbers()
    return points(figure)


def points(figure: go.Figure) -> Rows:
    """What the traces of a figure hold, a row for each point or cell."""
    yield ("trace", "x", "y", "z")
    for i, trace in enumerate(figure.data):
        name = trace.name or f"{trace.type} {i}"
        if getattr(trace, "z", None) is None:
            sides = [np.asarray(side) for side in (trace.x, trace.y) if side is not None]
            xs, ys = sides if len(sides) == 2 else (np.arange(len(sides[0])), sides[0])
            yield from ((name, x, y, "") for x, y in zip(xs, ys, strict=True))
        else:
            for (row, column), z in np.ndenumerate(np.asarray(trace.z)):
                yield (name, column, row, z)
