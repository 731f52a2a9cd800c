"""What belongs to the sentence besides its line in the bar: a second one, and what the model knows of it."""

import streamlit as st

from encoder.metrics.word_kinds import words_known
from encoder.pictures.link import one_line
from encoder.trace.trace import Trace
from pages.ui.state import session_state as state
from pages.ui.text import plain

LONGEST = 200_000  # characters that may be pasted


def second() -> None:
    """The line for the second sentence of a pair, where there is one."""
    if state.current().second:
        st.text_input(
            "Second sentence",
            max_chars=LONGEST,
            label_visibility="collapsed",
            placeholder="The second sentence",
            width="stretch",
            **state.widget("second") | {"on_change": typed, "args": ()},
        )


def known(trace: Trace) -> None:
    """Say so where the model has hardly any words of the sentence."""
    if said := words_known(trace.tokenization).sentence:
        st.caption(plain(said))


def typed() -> None:
    """Take over what was typed into the line of the second sentence."""
    text = one_line(state.value("second") or "")
    if text != state.current().second:
        state.change(second=text)
