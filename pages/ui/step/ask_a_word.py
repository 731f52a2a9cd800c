"""Ask a word, on the first page and on that of who looks at whom: its controls, the sentence, and what to know."""

import streamlit as st

from encoder.pictures.view import Cell
from encoder.trace.trace import Trace
from pages.ui.components import ask
from pages.ui.state import session_state as state
from pages.ui.step import opened, words_only
from pages.ui.text import plain

MERGED = (
    "The pieces of a word are one: where it looks is the mean of its pieces' rows, how much it is looked at the "
    "sum of their columns. So each row still sums to 1. A click on a percent opens the largest of the pieces' numbers."
)


def draw(trace: Trace) -> bool:
    """The controls and the sentence; returns whether the pieces of a word are shown as one."""
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="ask_controls")
    with controls:
        choice = words_only.choose()
        merged: bool = st.toggle("Words, not pieces", **state.shared_choice("merge_words", (False, True), False))
    left_out = ask.draw(trace, choice, merged, open_number)
    if left_out:
        st.caption(plain(left_out))
    if merged:
        st.caption(MERGED)
    return merged


def open_number(cell: Cell) -> None:
    """Open the number behind a percent."""
    opened.open_number(cell, fresh=True)
