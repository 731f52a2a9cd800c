"""What the vector of a word says before any context: which other words have the vectors most like it."""

import streamlit as st

from encoder.pictures.registry.embedding import NEAR_WORDS, WORD
from pages.ui.picture import ask, show
from pages.ui.text import heading
from pages.ui.widgets import pick_token


def draw() -> None:
    """The word to tap, and its neighbours as bars."""
    scene = ask(NEAR_WORDS)
    heading("Which words have a vector like it")
    st.markdown("Every token that the model knows has a vector of its own. What is alike in use points the same way.")
    pick_token("Word", scene.t.tokens, WORD.key, WORD.usual(scene))
    show(NEAR_WORDS)
