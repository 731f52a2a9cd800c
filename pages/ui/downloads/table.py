"""Numbers as a table and as a CSV file."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from encoder.pictures.export.caption import file_name
from encoder.pictures.export.tables import Rows, header, to_csv
from encoder.support.formatting import shown
from pages.ui.downloads import keep


def frame(values: np.ndarray, rows: list[str], columns: list[str] | str) -> pd.DataFrame:
    """A matrix as a table: rows are tokens with their positions, columns tokens likewise or dim_1, dim_2, ...

    Every label of a token starts with its position, so no two are the same and no spreadsheet takes one for a formula.
    """
    index = pd.Index(header([shown(token) for token in rows], len(rows)), name="token")
    names = columns if isinstance(columns, str) else [shown(token) for token in columns]
    return pd.DataFrame(values, index, header(names, values.shape[1]))


def numbers(
    key: str, name: str, make: Callable[[], pd.DataFrame], shape: tuple[int, ...], title: str = "Numbers"
) -> None:
    """A fold with the exact numbers, made only when it is opened, and the same numbers as CSV."""
    size = " × ".join(map(str, shape))
    fold = st.expander(f"{title} ({size})", key=f"numbers_{key}", on_change="rerun")
    if fold.open:
        with fold:
            table = make()
            st.dataframe(table, key=f"table_{key}")
            save(f"csv_of_{key}", name, table)


def shown_table(table: pd.DataFrame, *, key: str, **options: Any) -> None:
    """A table on the page, and below it the same as CSV; `options` are those of Streamlit's table."""
    st.dataframe(table, key=key, **options)
    save(f"csv_{key}", key, table)


def folded(key: str, make: Callable[[], Rows]) -> None:
    """The same for a figure of any size: its numbers are made when the fold is opened, and not before."""
    fold = st.expander("Numbers", key=f"numbers_{key}", on_change="rerun")
    if fold.open:
        with fold:
            names, *lines = make()
            table = pd.DataFrame(lines, columns=list(names))
            st.dataframe(table, key=f"table_{key}", hide_index=True)
            save(f"csv_of_{key}", key, table)


def save(key: str, name: str, table: pd.DataFrame) -> None:
    """A button that takes a table along as CSV."""
    keep.save("CSV", key, f"{file_name(name)}.csv", lambda: to_csv(rows(table)).encode(), "text/csv")


def rows(table: pd.DataFrame) -> Rows:
    """The header and rows of a table, its index first unless it only counts the rows."""
    counts = isinstance(table.index, pd.RangeIndex) and table.index.name is None
    whole = table if counts else table.reset_index()
    yield list(whole.columns)
    yield from whole.itertuples(index=False)
