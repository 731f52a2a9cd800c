"""How far each token's vector moves from layer to layer."""

import streamlit as st

from encoder.pictures.registry.output import MEANING, MOVE, MOVES
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading


def draw() -> None:
    """How far each token's vector moves in each layer."""
    heading("How each vector moves")
    st.pills("Shown", list(MEANING), required=True, **tie(MOVE, ask(MOVES)))
    scene = ask(MOVES)
    show(MOVES, scene=scene, more=MEANING[scene[MOVE]])
