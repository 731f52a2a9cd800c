"""How alike the tokens are after a layer."""

import streamlit as st

from encoder.pictures.registry.output import AFTER, ALIKE_TOKENS, after_names
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading


def draw() -> None:
    """The cosine between every two tokens."""
    scene = ask(ALIKE_TOKENS)
    heading("How alike the tokens are")
    st.select_slider("After", after_names(scene), **tie(AFTER, scene))
    show(ALIKE_TOKENS)
