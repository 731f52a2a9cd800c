"""Small maps with one shared cursor, drawn on canvases: many heads, or the same head at several steps."""

import base64
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.export.tables import Rows, numbered
from encoder.figures.living_map_packet import NONE
from encoder.formatting import short, shown
from encoder.paper.panel import Panel, heat_map, of_maps
from encoder.selection import Selection
from encoder.theme import Kind, Theme, limits, palette
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.components import present
from pages.ui.downloads.picture import card
from pages.ui.state import session_state as state

MOST_ROWS = 128  # more tokens than this share pixels
MOST_EXACT = 64  # up to so many tokens a map may carry exact numbers
MOST_NAMED = 12  # maps that are each named in the words for all of them
MOST_CELLS = 220_000  # all maps together
_component = component(__file__, "maps", "<div class='maps'></div>")


@dataclass(frozen=True)
class Map:
    """One map: a title for the eye, a label for the screen reader, values [n, n] and the ends of its scale.

    `note` is a short line below it, and `blank` is the number whose cells have no colour, where there is one.

    The values of a recorded step may be given as a function that reads them: a page keeps its maps for a file that is
    fetched later, and would keep the whole run in memory with them.
    """

    title: str
    label: str
    values: np.ndarray | Callable[[], np.ndarray]
    kind: Kind
    largest: float
    blank: float | None = None
    note: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """The values at both ends of the colour scale."""
        return limits(self.kind, self.largest)

    @property
    def numbers(self) -> np.ndarray:
        """The values."""
        return self.values() if callable(self.values) else self.values

    def apart(self) -> "Map":
        """The same map, whose values are no part of a larger array."""
        return self if callable(self.values) or self.values.base is None else replace(self, values=self.values.copy())


def of_head(trace: Trace, step: str, head: int, seen: Selection) -> Callable[[], np.ndarray]:
    """The values of one head of a step, of the tokens that are drawn, read from its run when they are needed."""
    return lambda: seen.cut(trace.array(step)[head])


def draw(
    key: str,
    maps: list[Map],
    tokens: list[str],
    theme: Theme,
    on_pick: Callable[[int, int, int], None],
    about: About,
    *,
    chosen: int = -1,
    cell: tuple[int, int] | None = None,
    exact: bool = False,
    columns: int = 0,
    least: int = 84,
    at: Sequence[int] | None = None,
    left_out: str = "",
    made: str = "",
) -> None:
    """Draw maps of the same tokens; `on_pick` gets the map, row and column that a person picks.

    `exact` sends exact numbers where the tokens are few, else 255 levels. With too many tokens or maps a pixel stands
    for the largest of several cells, and the page says so. `columns` fixes how many maps stand in a row, else as
    many as fit with `least` CSS pixels each. `about` says what the numbers are of. Where not all tokens are drawn, `at`
    are the positions of those that are, which `on_pick` and `cell` speak of, and `left_out` says what is not. `made` is
    the expression that gives their numbers, as `pages.ui.downloads.picture.card` takes it.
    """
    n, places = len(tokens), list(at or range(len(tokens)))
    cell = (places.index(cell[0]), places.index(cell[1])) if cell and {*cell} <= {*places} else None
    every = max(math.ceil(n / MOST_ROWS), math.ceil(n / math.sqrt(MOST_CELLS / len(maps))))
    exact = exact and n <= MOST_EXACT
    drawn = [pooled(m.numbers, every) for m in maps]
    rows, count = drawn[0].shape[0], len(maps)
    _component(
        key=key,
        on_picked_change=lambda: picked(key, count, every, places, on_pick),
        data={
            "maps": [
                {
                    "title": m.title,
                    "label": m.label,
                    "note": m.note,
                    "cells": packed(values, m, exact),
                    "exact": exact,
                    "kind": m.kind,
                    "low": m.ends[0],
                    "high": m.ends[1],
                    "blank": float(np.float32(m.blank)) if m.blank is not None and math.isfinite(m.blank) else None,
                }
                for m, values in zip(maps, drawn, strict=True)
            ],
            "rows": rows,
            "columns": rows,
            "names": [shown(token) for token in tokens],
            "every": every,
            "across": columns,
            "width": round(max(least, min(rows, MOST_ROWS)) * (present.LARGER if present.on() else 1)),
            "chosen": chosen,
            "cell": [cell[0] // every, cell[1] // every] if cell else None,
            "second": second_of(about, n) / every,
            "palettes": {kind: packed_palette(kind, theme) for kind in {m.kind for m in maps}},
        },
    )
    named = (
        [m.label for m in maps]
        if len(maps) <= MOST_NAMED
        else [f"{len(maps)} maps", maps[0].label, "…", maps[-1].label]
    )
    later = [m.apart() for m in maps]
    said = "; ".join(named) + (f". {left_out}" if left_out else "")

    def panel(title: str, caption: str) -> Panel:
        found = [
            heat_map(m.numbers, tokens, tokens, m.kind, title=m.title, largest=m.largest, blank=m.blank) for m in later
        ]
        return of_maps(together(maps) or title, caption, found, columns)

    card(key, lambda: rows_of(later, tokens, at), said, about, scale=ends(maps), made=made, panel=panel)
    if every > 1:
        st.caption(
            f"There are too many cells for one pixel each: a pixel shows the largest of {every} × {every} cells."
        )


def together(maps: list[Map]) -> str:
    """What several maps are called together: what their names begin with, else how many they are."""
    if len(maps) == 1:
        return ""
    letters = takewhile(lambda same: len({*same}) == 1, zip(*(m.label for m in maps), strict=False))
    shared = "".join(same[0] for same in letters)
    begin = re.sub(r"[\s,;]*\b(head|layer|step)?[\s,;]*\d*$", "", shared, flags=re.IGNORECASE)
    return f"{begin or 'Maps'} ({maps[0].title} to {maps[-1].title})"


def second_of(about: About, n: int) -> int:
    """Where the second sentence of a pair begins in maps of n tokens; 0 where there is none."""
    run = about.run
    return run.tokenization.second if run is not None and len(run.tokens) == n else 0


def rows_of(maps: list[Map], tokens: list[str], at: Sequence[int] | None = None) -> Rows:
    """All maps as one table: for each map a row per token that looks, with a column per token looked at."""
    names = numbered(tokens, at)
    yield ("map", "token", *names)
    for m in maps:
        yield from ((m.title, name, *row) for name, row in zip(names, m.numbers, strict=True))


def ends(maps: list[Map]) -> str:
    """The ends of every map's scale, said once where they are the same for all."""
    said = {m.ends: f"{short(m.ends[0])} to {short(m.ends[1])}" for m in maps}
    return next(iter(said.values())) if len(said) == 1 else ", ".join(f"{m.title.lower()} {said[m.ends]}" for m in maps)


def scales(maps: list[Map]) -> str:
    """The ends of every map's scale as a sentence."""
    if len({m.ends for m in maps}) == 1:
        return f"One colour scale for all, from {ends(maps)}."
    return f"Colour scales: {ends(maps)}."


def packed(values: np.ndarray, m: Map, exact: bool) -> str:
    """The cells of a map for the browser: float32 numbers, or levels from 0 to 254; NONE for what has no colour."""
    if exact:
        return base64.b64encode(values.astype("<f4").tobytes()).decode()
    low, high = m.ends
    seen = np.isfinite(values) & (values != m.blank)
    levels = (((values - low) / (high - low)).clip(0, 1) * 254).round()
    return base64.b64encode(np.where(seen, levels, NONE).astype(np.uint8).tobytes()).decode()


@lru_cache(maxsize=16)
def packed_palette(kind: Kind, theme: Theme) -> str:
    """255 colours of three bytes each."""
    return base64.b64encode(bytes(channel for colour in palette(kind, theme) for channel in colour)).decode()


def pooled(values: np.ndarray, every: int) -> np.ndarray:
    """The largest value of each every x every block: [n, n] -> [n / every, n / every], rounded up."""
    if every == 1:
        return values
    over = -len(values) % every
    padded = np.pad(values, ((0, over), (0, over)), constant_values=-np.inf)
    side = len(padded) // every
    result: np.ndarray = padded.reshape(side, every, side, every).max(axis=(1, 3))
    return result


def picked(key: str, count: int, every: int, at: Sequence[int], on_pick: Callable[[int, int, int], None]) -> None:
    """Hand on what was picked, at the positions `at` of the tokens; what comes from a browser is checked first."""
    said = state.picked(key)
    if not isinstance(said, list) or len(said) != 3 or any(type(v) is not int for v in said):
        return
    m, i, j = said
    if 0 <= m < count and 0 <= i * every < len(at) and 0 <= j * every < len(at):
        on_pick(m, at[i * every], at[j * every])
