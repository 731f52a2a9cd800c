"""Numbers as rows, and rows as CSV text."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from encoder.support.formatting import MARK, shown

Rows = Iterable[Sequence[object]]
LONGEST_NAME = 60  # characters of a token in a table
# What a spreadsheet would run: at the start of a text, and after what ends a cell where lists have other signs.
SIGNS = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
FORMULA = re.compile(rf"(?=[\s\x00-\x1f]*{SIGNS}|[\t\r\n])")
LATER = re.compile(rf'(?<=[;|\t\r\n])(?=["\s\x00-\x1f]*{SIGNS})')
QUOTED = re.compile(r'[",;|\x00-\x1f]')
SHORT = {"dimension": "dim"}  # what is counted along columns -> its name in a header


def numbered(names: Sequence[str], at: Sequence[int] | None = None) -> list[str]:
    """Names with their positions in front, so that no two are the same; `at` gives those of some of many."""
    return [f"{i} {shown(name, LONGEST_NAME)}" for i, name in zip(at or range(len(names)), names, strict=True)]


def header(columns: Sequence[str] | str, width: int, at: Sequence[int] | None = None) -> list[str]:
    """What the columns of a table are called: their names with positions, or what is counted along them, from 1."""
    if not isinstance(columns, str):
        return numbered(columns, at)
    counted = SHORT.get(columns, columns).replace(" ", "_")
    return [f"{counted}_{j + 1}" for j in range(width)]


def grid(values: np.ndarray, rows: Sequence[str], columns: Sequence[str] | str) -> Rows:
    """A matrix as a table: a header, then one row for each of `rows`. Columns are names, or counted from 1."""
    yield ("token", *header(columns, values.shape[1]))
    for name, row in zip(numbered(rows), values, strict=True):
        yield (name, *row)


def to_csv(rows: Rows) -> str:
    """Rows as CSV text that any spreadsheet and pandas read; the same rows always give the same bytes.

    Numbers have nine digits, enough for every float32 to come back exactly. A text that a spreadsheet would run as a
    formula gets an apostrophe in front of it, also where it would begin a cell in a country with other separators;
    one that could end a cell stands between quotes. It begins with a byte order mark.
    """
    return MARK + lines(rows)


def lines(rows: Rows) -> str:
    """The same without the mark, to stand below other tables of a file."""
    return "".join(",".join(quoted(cell(value)) for value in row) + "\n" for row in rows)


def quoted(text: str) -> str:
    """A cell of CSV: between quotes where something in it could end it, in whatever country it is opened."""
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def cell(value: object) -> str:
    """One cell as text."""
    if isinstance(value, float | np.floating):
        return f"{value:.9g}"
    text = str(value)
    if not isinstance(value, str):
        return text
    return ("'" if FORMULA.match(text) else "") + LATER.sub("'", text)
