"""What belongs to the sentence besides its line in the bar: a second one on demand, and what the model knows of it."""

import streamlit as st

from encoder.metrics.known import words_known
from encoder.pictures.link import one_line
from encoder.trace.trace import Trace
from pages.ui.state import session_state as state
from pages.ui.text import plain

LONGEST = 200_000  # characters that may be pasted


def switch() -> None:
    """The button that opens a line for a second sentence, or reads one again."""
    is_pair = state.session().pair
    label = "One sentence" if is_pair else "A second sentence"
    said = "Both are read as one input: A, a separator, B."
    st.button(label, key="pair", type="tertiary", on_click=pair, args=(not is_pair,), help=said)


def second() -> None:
    """The line for the second sentence of a pair, where there is one or it is wanted."""
    here = state.session()
    here.pair = here.pair or bool(state.current().second)
    if here.pair:
        st.text_input(
            "Second sentence", max_chars=LONGEST, label_visibility="collapsed", placeholder="The second sentence",
            width="stretch", **state.widget("second") | {"on_change": typed, "args": ()},
        )  # fmt: skip


def known(trace: Trace) -> None:
    """Say so where the model has hardly any words of the sentence."""
    if said := words_known(trace.tokenization).sentence:
        st.caption(plain(said))


def typed() -> None:
    """Take over what was typed into the line of the second sentence."""
    text = one_line(state.value("second") or "")
    if text != state.current().second:
        state.change(second=text)


def pair(wanted: bool) -> None:
    """Show the line for the second sentence, or read one sentence again."""
    state.session().pair = wanted
    if not wanted:
        state.change(second="")
