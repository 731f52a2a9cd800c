"""A picture that keeps the numbers it was drawn from, and those numbers as a CSV file."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from encoder.formatting import shown

Rows = Iterable[Sequence[object]]
LONGEST_NAME = 60  # characters of a token in a table
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a text that starts so for a formula
SHORT = {"dimension": "dim"}  # what is counted along columns -> its name in a header


class Drawn(go.Figure):  # type: ignore[misc]
    """A Plotly figure with its own numbers.

    `numbers` makes the rows of a table, the header first; `scale` says the ends of the colour
    scale, where there is one.
    """

    numbers: Callable[[], Rows] | None = None
    scale: str = ""


def draw(data: Any, frame: go.Layout, numbers: Callable[[], Rows], scale: str = "") -> Drawn:
    """A figure of these traces that remembers where it came from."""
    figure = Drawn(data, frame)
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


def numbered(names: Sequence[str]) -> list[str]:
    """Names with their positions in front, so that no two are the same."""
    return [f"{i} {shown(name, LONGEST_NAME)}" for i, name in enumerate(names)]


def grid(values: np.ndarray, rows: Sequence[str], columns: Sequence[str] | str) -> Rows:
    """A matrix as a table: a header, then one row for each of `rows`. Columns are names, or counted from 1."""
    counted = f"{SHORT.get(columns, columns)}_".replace(" ", "_") if isinstance(columns, str) else ""
    across = [f"{counted}{j + 1}" for j in range(values.shape[1])] if counted else numbered(list(columns))
    yield ("token", *across)
    for name, row in zip(numbered(rows), values, strict=True):
        yield (name, *row)


def columns(first: str, names: Iterable[object], series: dict[str, np.ndarray]) -> Rows:
    """Series side by side, a row for each name or number of the first column."""
    yield (first, *series)
    yield from zip(names, *series.values(), strict=True)


def to_csv(rows: Rows) -> str:
    """Rows as CSV text that any spreadsheet and pandas read; the same rows always give the same bytes.

    Numbers have nine digits, enough for every float32 to come back exactly. A text that a spreadsheet would run as a
    formula gets an apostrophe in front.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def cell(value: object) -> str:
    """One cell as text."""
    if isinstance(value, float | np.floating):
        return f"{value:.9g}"
    said = str(value)
    return f"'{said}" if isinstance(value, str) and said.startswith(FORMULA) else said
