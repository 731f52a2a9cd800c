"""Scores of your own through softmax, and how much the weights move when a score does."""

import streamlit as st

from encoder.pictures.registry.labs_softmax import OWN_SCORES, OWN_SLOPES, OWN_WEIGHTS, read
from encoder.support.errors import EncoderError
from pages.ui.picture import ask, show, tie
from pages.ui.text import plain


def draw() -> None:
    """Scores that a person types, their weights and their gradient."""
    st.markdown("Type scores, and see the weights that the model's own softmax makes of them.")
    st.text_input("Scores, with commas between", max_chars=200, **tie(OWN_SCORES, ask(OWN_WEIGHTS)))
    try:
        read(ask(OWN_WEIGHTS)[OWN_SCORES])
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    show(OWN_WEIGHTS)
    show(OWN_SLOPES, more="Each row and column adds up to 0: what one weight gains the others lose.")
