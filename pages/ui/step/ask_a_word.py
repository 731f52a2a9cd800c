"""Ask a word, on the first page and on that of who looks at whom: its controls, the sentence, and what to know."""

import streamlit as st

from encoder.pictures.registry.sentence import ASK, ASK_SECOND, ASK_WAY, ASK_WORD, MERGED
from encoder.pictures.view import Cell
from pages.ui.components import ask
from pages.ui.picture import answer_of, tie
from pages.ui.state import session_state as state
from pages.ui.step import opened, words_only
from pages.ui.text import plain

OF_MERGED = (
    "The pieces of a word are one: where it looks is the mean of its pieces' rows, how much it is looked at the "
    "sum of their columns. So each row still sums to 1. A click on a percent opens the largest of the pieces' numbers."
)


def draw() -> bool:
    """The controls and the sentence; returns whether the pieces of a word are shown as one."""
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="ask_controls")
    with controls:
        words_only.choose()
        merged: bool = st.toggle("Words, not pieces", **state.shared_choice("merge_words", (False, True), False))
    draw_answers()
    return merged


def draw_answers() -> None:
    """The sentence, what is answered, and what is not drawn of it."""
    answer = answer_of(ASK)
    for option in (ASK_WORD, ASK_SECOND, ASK_WAY):
        tie(option, answer.scene)
    left_out = ask.draw(answer, open_number)
    if left_out:
        st.caption(plain(left_out))
    if answer.scene[MERGED]:
        st.caption(OF_MERGED)


def open_number(cell: Cell) -> None:
    """Open the number behind a percent."""
    opened.open_number(cell)
