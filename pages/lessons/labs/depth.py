"""What residuals and norms do for deep stacks."""

import streamlit as st

from encoder.pictures.registry.labs_layers import DEPTH_APART, DEPTH_LENGTH
from pages.ui.picture import show


def draw() -> None:
    """Random blocks stacked deep: how far tokens stay apart, and how long their vectors grow."""
    st.markdown("Random blocks, stacked up to 48 deep, with and without the residual path and the norm.")
    show(DEPTH_APART)
    show(DEPTH_LENGTH)
