"""Numbers as rows, and rows as CSV text."""

import csv
import io
from collections.abc import Iterable, Sequence

import numpy as np

from encoder.formatting import shown

Rows = Iterable[Sequence[object]]
LONGEST_NAME = 60  # characters of a token in a table
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a text that starts so for a formula
SHORT = {"dimension": "dim"}  # what is counted along columns -> its name in a header


def numbered(names: Sequence[str]) -> list[str]:
    """Names with their positions in front, so that no two are the same."""
    return [f"{i} {shown(name, LONGEST_NAME)}" for i, name in enumerate(names)]


def header(columns: Sequence[str] | str, width: int) -> list[str]:
    """What the columns of a table are called: their names with positions, or what is counted along them, from 1."""
    if not isinstance(columns, str):
        return numbered(columns)
    counted = SHORT.get(columns, columns).replace(" ", "_")
    return [f"{counted}_{j + 1}" for j in range(width)]


def grid(values: np.ndarray, rows: Sequence[str], columns: Sequence[str] | str) -> Rows:
    """A matrix as a table: a header, then one row for each of `rows`. Columns are names, or counted from 1."""
    yield ("token", *header(columns, values.shape[1]))
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
