"""Compare, what differs between two? Sentences or models, a word in many sentences, patches, and a cosine."""

import streamlit as st

from encoder.pictures.view import OTHER
from pages.parts.compare import alike, one_word, patch, two_runs
from pages.ui.state import session_state as state
from pages.ui.widgets import tabs


def take_other() -> None:
    """Take over sentence B; one that is A again goes on with it."""
    typed = state.value("other")
    state.change(other=OTHER if typed == state.current().sentence else typed)


view = state.current()
state.show(other=view.sentence_b)
st.text_input("Sentence B (A is the one on top of the page)", key="other", max_chars=2000, on_change=take_other)
if view.sentence_b == view.sentence and not view.other_model:
    st.caption("B is A so far: change one word of it and press Enter.")
PARTS = {
    "Two runs": two_runs.draw,
    "One word in many sentences": one_word.draw,
    "Patch": patch.draw,
    "Alike?": alike.draw,
}
tabs(PARTS, "compare_part")
