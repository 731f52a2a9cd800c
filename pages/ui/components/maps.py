"""Small maps with one shared cursor, drawn on canvases: many heads, or the same head at several steps."""

import base64
import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import streamlit as st

from encoder.pictures.chart import SmallMap, small_maps
from encoder.pictures.figures.living_map_cells import NONE
from encoder.pictures.picture import Answer
from encoder.support.formatting import shown
from encoder.support.theme import Kind, Theme, palette
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.components import present
from pages.ui.downloads import keep
from pages.ui.state import session_state as state
from pages.ui.text import theme

MOST_ROWS = 128  # more tokens than this share pixels
MOST_EXACT = 64  # up to so many tokens a map may carry exact numbers
MOST_CELLS = 220_000  # all maps together
_component = component(__file__, "maps", "<div class='maps'></div>")


def draw(
    answer: Answer,
    on_pick: Callable[[int, int, int], None],
    *,
    chosen: int = -1,
    cell: tuple[int, int] | None = None,
    exact: bool = False,
    least: int = 84,
) -> list[SmallMap]:
    """Draw the maps of a picture of that kind, with the ways to keep it, and return them.

    `on_pick` gets the map, row and column that a person picks, at the positions of the run, which `cell` speaks of too.
    `exact` sends exact numbers where the tokens are few, else 255 levels.
    With too many tokens or maps a pixel stands for the largest of several cells, and the page says so. As many maps as
    fit with `least` CSS pixels each stand in a row where the picture does not say how many.
    """
    maps, names, key = small_maps(answer.chart), answer.chart.names(-1), answer.picture.key
    n, count = len(names), len(maps)
    places = list(answer.chart.at or range(n))
    second = second_of(answer.scene.run, n)
    cell = (places.index(cell[0]), places.index(cell[1])) if cell and {*cell} <= {*places} else None
    every = max(math.ceil(n / MOST_ROWS), math.ceil(n / math.sqrt(MOST_CELLS / count)))
    exact = exact and n <= MOST_EXACT
    drawn = [pooled(m.values, every) for m in maps]
    rows = drawn[0].shape[0]
    _component(
        key=key,
        on_picked_change=lambda: picked(key, count, every, places, on_pick),
        data={
            "maps": [
                {
                    "title": m.title,
                    "label": m.label,
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
            "names": [shown(name) for name in names],
            "every": every,
            "across": answer.chart.look.get("columns", 0),
            "width": round(max(least, min(rows, MOST_ROWS)) * (present.LARGER if present.on() else 1)),
            "chosen": chosen,
            "cell": [cell[0] // every, cell[1] // every] if cell else None,
            "second": second / every,
            "palettes": {kind: packed_palette(kind, theme()) for kind in {m.kind for m in maps}},
        },
    )
    keep.draw(answer)
    if every > 1:
        st.caption(
            f"There are too many cells for one pixel each: a pixel shows the largest of {every} × {every} cells."
        )
    return maps


def second_of(run: Trace | None, n: int) -> int:
    """Where the second sentence of a pair begins in maps of n tokens; 0 where there is none."""
    return run.tokenization.second if run is not None and len(run.tokens) == n else 0


def packed(values: np.ndarray, m: SmallMap, exact: bool) -> str:
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
    message = state.picked(key)
    if not isinstance(message, list) or len(message) != 3 or any(type(v) is not int for v in message):
        return
    m, i, j = message
    if 0 <= m < count and 0 <= i * every < len(at) and 0 <= j * every < len(at):
        on_pick(m, at[i * every], at[j * every])
