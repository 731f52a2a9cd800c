"""Padding with the mask, and with the mask forgotten."""

import math

import streamlit as st

from encoder.experiments import hidden_row
from encoder.pictures.registry.labs_padding import LEAK, PADS, SHORT, padded
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent
from pages.lessons.labs import batch
from pages.ui.picture import answer_of, ask, show, tie
from pages.ui.text import plain, say


def draw() -> None:
    """A short sentence padded to the length of the one in the bar; and a row with every key hidden."""
    st.markdown("In a batch the shorter sentence is filled up with [PAD], and a mask hides that from the words.")
    st.text_input("Short sentence", max_chars=200, **tie(SHORT, ask(PADS)))
    scene = ask(PADS)
    try:
        both = answer_of(PADS, scene).value(padded(scene))
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    batch.shapes(both, scene.t.tokens)
    known = {padded(scene): both}
    show(PADS, known=known)
    show(LEAK, known=known)
    batch.pictures(known)
    st.markdown("And if every key of a row is masked?")
    lost, even = hidden_row(-math.inf), hidden_row(-1e9)
    say(
        f"With minus infinity the row is 0/0, not a number, and {lost.lost[-1]} of {len(lost.weights)} tokens are lost "
        f"in the end; with -1e9 the row is even: {percent(float(even.weights[-1, 0]))} for each token it must not see."
    )
