"""Attention rollout: weights multiplied through all layers."""

import streamlit as st

from encoder.pictures.registry.heads import ROLLOUT, UPTO
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading

METHOD = """Attention rollout (Abnar & Zuidema 2020): mean of the heads, half identity for the residual, rows divided \
by their sums, layers multiplied. The half is assumed; the picture above shows how far it is from what is measured."""


def draw() -> None:
    """The rollout up to a layer."""
    heading("Through all layers: rollout")
    scene = ask(ROLLOUT)
    st.select_slider("Up to layer", range(scene.encoder.config.n_layers), **tie(UPTO, scene))
    show(ROLLOUT, more=METHOD)
