"""A picture that the library drew with Plotly, as a panel of a printed figure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from encoder.pictures.export.tables import to_csv
from encoder.pictures.figures.drawn import Drawn, numbers_of
from encoder.pictures.paper.panel import (
    MOST_BYTES,
    MOST_CELLS,
    HeatMap,
    Panel,
    PanelError,
    headline,
    heat_map,
    of_maps,
    spelled,
    without_number,
)
from encoder.pictures.paper.words import plain_text, without_tags
from encoder.support.theme import Kind, Theme


def of_drawn(title: str, caption: str, figure: Drawn, theme: Theme = "light") -> Panel:
    """A panel of a picture that the library drew in a theme: its map, its tiles, or its chart.

    Raises:
        PanelError: it is too large for a sheet of paper.
    """
    if figure.parts is not None:
        named = {name: [f"head {h}" for h in range(len(values))] for name, values in figure.parts.items()}
        return of_maps(
            title,
            caption,
            (heat_map(values, named[name], "dimension", "signed", title=name) for name, values in figure.parts.items()),
        )
    marks = [mark.to_plotly_json() for mark in figure.data]
    heat = marks[0] if len(marks) == 1 and marks[0]["type"] == "heatmap" else None
    if heat is not None:
        if np.asarray(heat["z"]).size > MOST_CELLS:
            raise PanelError(f"it has {np.asarray(heat['z']).size:,} cells; a panel has up to {MOST_CELLS:,}")
        table = [tuple(row) for row in numbers_of(figure)]
        maps = tiles_of(heat, figure, table) if table[0][0] == "tile" else [whole_of(heat, figure, table)]
        low, high = getattr(figure, "ends", None) or (heat["zmin"], heat["zmax"])
        found = [replace(one, kind=kind_of(low, high), low=low, high=high) for one in maps]
        return of_maps(title, caption, found)
    numbers = to_csv(numbers_of(figure))
    if len(numbers) > MOST_BYTES:
        raise PanelError(f"its table takes {len(numbers):,} bytes; that of a panel takes up to {MOST_BYTES:,}")
    frame = figure.layout.to_plotly_json()
    return Panel(headline(title), plain_text(caption), (), tuple(marks), frame, theme, numbers)


def kind_of(low: float, high: float) -> Kind:
    """What kind of values colours between these ends are for."""
    return "signed" if low < 0 else "share" if (low, high) == (0, 1) else "positive"


def whole_of(heat: dict[str, Any], figure: Drawn, table: list[tuple[Any, ...]]) -> HeatMap:
    """A heatmap as one map: its names are those of its axes, or of its table where it is one number a column."""
    values = np.asarray(heat["z"], dtype=np.float32)
    n, m = values.shape
    columns: Sequence[str] | str
    named = len(table) == n + 1 and len(table[0]) == m + 1
    if named:
        rows = [without_number(str(row[0])) for row in table[1:]]
        columns = [str(name) for name in table[0][1:]]
        counted = re.fullmatch(r"(.*)_1", columns[0])
        columns = COUNTED.get(counted[1], counted[1]) if counted else [without_number(name) for name in columns]
    else:
        rows, columns = names_of(figure.layout.yaxis, n), names_of(figure.layout.xaxis, m)
    if getattr(figure, "ends", None):
        exact = np.array([row[1:] for row in table[1:]], dtype=np.float32)
        values = np.where(values == 0, -np.inf, exact)
    cells = heat.get("text")
    found = heat_map(values, rows, columns, "positive")
    if cells is None:
        return found
    return replace(found, cells=tuple(tuple(spelled(without_tags(str(one)), 40) for one in row) for row in cells))


COUNTED = {"dim": "dimension"}


def names_of(axis: Any, count: int) -> list[str]:
    """What stands along an axis, a name for each place; places without one have their number."""
    named = dict(zip(axis.tickvals or (), axis.ticktext or (), strict=False))
    return [without_tags(str(named.get(i, i))) for i in range(count)]


def tiles_of(heat: dict[str, Any], figure: Drawn, table: list[tuple[Any, ...]]) -> list[HeatMap]:
    """The tiles of a picture of several, each where its name stands above it."""
    head, *lines = table
    titles = list(dict.fromkeys(str(line[0]) for line in lines))
    n, m = len(lines) // len(titles), len(head) - 2
    rows = [without_number(str(line[1])) for line in lines[:n]]
    counted = re.fullmatch(r"(.*)_1", str(head[2]))
    columns: Sequence[str] | str = [without_number(str(name)) for name in head[2:]]
    columns = COUNTED.get(counted[1], counted[1]) if counted else columns
    whole, found = np.asarray(heat["z"], dtype=np.float32), []
    for title, said in zip(titles, figure.layout.annotations, strict=True):
        top, left = round(said.y + 0.5), round(said.x - (m - 1) / 2)
        found.append(heat_map(whole[top : top + n, left : left + m], rows, columns, "positive", title=title))
    return found
