"""A picture that keeps the numbers it was drawn from, and those numbers as a CSV file."""

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go

from encoder.pictures.export.tables import Rows


class Drawn(go.Figure):  # type: ignore[misc]
    """A Plotly figure with its own numbers.

    `numbers` makes the rows of a table, the header first; `scale` says the ends of the colour
    scale, where there is one. `ends` are the numbers at both, where the picture carries levels in their place. `parts`
    are the maps of heads by dimension that stand for it on paper, by their titles, where it is more than a map.
    """

    numbers: Callable[[], Rows] | None = None
    scale: str = ""
    ends: tuple[float, float] | None = None
    parts: dict[str, np.ndarray] | None = None


def mark(kind: str, **looks: Any) -> dict[str, Any]:
    """One of Plotly's own traces ("heatmap", "scatter", "bar") as plain data."""
    return {"type": kind, **looks}


def draw(
    marks: dict[str, Any] | list[dict[str, Any]], frame: dict[str, Any], numbers: Callable[[], Rows], scale: str = ""
) -> Drawn:
    """A figure of these marks in this frame that remembers where it came from.

    Plotly does not check what it is given here, which takes ten times as long as to draw it; the tests have it check.
    """
    data = marks if isinstance(marks, list) else [marks]
    figure = Drawn({"data": data, "layout": frame}, _validate=False)
    figure.numbers = numbers
    figure.scale = scale
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
