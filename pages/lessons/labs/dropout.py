"""Dropout switched on for a few runs: what training does at random."""

import streamlit as st

from encoder.pictures.registry.labs import AFTER, DROPPED, DROPPED_AT, SEED, SEEDS, SHARES, P
from pages.ui.picture import ask, show, tie


def draw() -> None:
    """The sentence with dropout of a chosen share at chosen places, each run with draws of its own."""
    st.markdown(
        "In training each number is set to zero with probability p and the others are divided by 1 - p: at three kinds "
        "of places in the paper, and in much code inside feed-forward too. A trained model runs without: everywhere "
        "else in this app the step is the identity."
    )
    scene = ask(DROPPED)
    st.select_slider("p", SHARES, **tie(P, scene))
    st.pills("Where", list(AFTER), selection_mode="multi", format_func=AFTER.__getitem__, **tie(DROPPED_AT, scene))
    st.select_slider("Seed", SEEDS, **tie(SEED, scene))
    show(DROPPED, more="The mean of several runs comes closer: what drops out at random partly cancels.")
