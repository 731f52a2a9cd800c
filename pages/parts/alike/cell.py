"""One cell of the matrix, opened into what the last layer put into both vectors."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from encoder.attributions.similarity import Opened, opened
from encoder.export.caption import About
from encoder.figures.charts import term_bars
from encoder.formatting import brief, listed
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import opened as clicks
from pages.ui.text import heading, say, theme
from pages.ui.widgets import pick_token

MOST_PAIRS = 24  # pairs of parts that are named; the others are added up


def draw(a: Trace, b: Trace, largest: tuple[int, int]) -> None:
    """Choose a cell, by tapping it or by its two tokens, and show its parts."""
    heading("One pair, opened")
    with st.container(horizontal=True):
        i = pick_token("Token of A", a.tokens, "alike_a", largest[0])
        j = pick_token("Token of B", b.tokens, "alike_b", largest[1])
    clicks.listen("alike", lambda row, column: take(a, b, row, column, largest), (i, j))
    parts = opened(session.text_encoder(state.current().model), a, b, i, j)
    title = f"The cell of {a.tokens[i]} ({i}) and {b.tokens[j]} ({j}) as a sum"
    draw_parts(parts, a, b, title, "the cell", f"opened(enc, a, b, {i}, {j})")


def take(a: Trace, b: Trace, row: int, column: int, largest: tuple[int, int]) -> None:
    """A cell was clicked."""
    if row < len(a.tokens) and column < len(b.tokens):
        state.remember("alike_a", row, largest[0])
        state.remember("alike_b", column, largest[1])


def draw_parts(parts: Opened, a: Trace, b: Trace, title: str, whole: str, made: str) -> None:
    """The largest pairs of parts as bars, and what all add up to; `made` is the expression that gives them."""
    pairs, total = parts.largest(MOST_PAIRS), float(parts.values.sum())
    names = [listed([left.spelled(a.tokens), right.spelled(b.tokens)]) for left, right, _ in pairs]
    values = np.array([value for *_, value in pairs])
    drawn = term_bars(
        values, names, theme(), rest=total - values.sum(), more=parts.values.numel() - len(pairs), lying=True
    )
    chart(drawn, "alike_cell", title, About(a, other=b, reads=("output",)), made=f"{made}.summed({MOST_PAIRS})")
    say(
        f"What the last layer's heads gathered, its feed-forward block, and what came before it: "
        f"{parts.values.numel():,} pairs of parts add up to {brief(total)}, {whole}. The largest is {names[0]}, "
        f"{brief(values[0])}."
    )
    frame = partial(pd.DataFrame, {"parts": names, "share": values})
    downloads.numbers("alike_parts", "alike_parts", lambda: frame().set_index("parts"), (len(names),))
