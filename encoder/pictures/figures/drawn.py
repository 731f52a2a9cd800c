"""A Plotly figure that keeps what stands for it in a table."""

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go

from encoder.pictures.export.tables import Rows
from encoder.support.theme import ACCENT, MUTED, SECOND, Theme, labels


class Drawn(go.Figure):  # type: ignore[misc]
    """A Plotly figure with its own numbers.

    `numbers` makes the rows of a table, the header first.
    """

    numbers: Callable[[], Rows] | None = None


def mark(kind: str, **looks: Any) -> dict[str, Any]:
    """One of Plotly's own traces ("heatmap", "scatter", "bar") as plain data."""
    return {"type": kind, **looks}


def draw(marks: dict[str, Any] | list[dict[str, Any]], frame: dict[str, Any]) -> Drawn:
    """A figure of these marks in this frame.

    Plotly does not check what it is given here, which takes ten times as long as to draw it; the tests have it check.
    """
    return Drawn({"data": marks if isinstance(marks, list) else [marks], "layout": frame}, _validate=False)


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


def tell_apart(figure: go.Figure, tokens: list[str], second: int, theme: Theme = "light") -> None:
    """Colour the token names of a figure, and draw a rule before the first token of B, at position `second`.

    Axes that do not name these tokens are left as they are.
    """
    names = labels(tokens)
    for letter in "xy":
        axis = figure.layout[f"{letter}axis"]
        places, texts = axis.tickvals, axis.ticktext
        if not texts or not all(i in range(len(names)) for i in places):
            continue
        if any(text not in (names[i], f"{i} {names[i]}") for i, text in zip(places, texts, strict=True)):
            continue
        colours = (ACCENT[theme] if i < second else SECOND[theme] for i in places)
        axis.ticktext = [f'<span style="color:{c}">{text}</span>' for c, text in zip(colours, texts, strict=True)]
        other = "y" if letter == "x" else "x"
        ends = {f"{letter}0": second - 0.5, f"{letter}1": second - 0.5, f"{other}0": 0, f"{other}1": 1}
        line = {"color": MUTED[theme], "width": 1.5}
        figure.add_shape(type="line", **ends, **{f"{letter}ref": letter, f"{other}ref": "paper"}, line=line)
