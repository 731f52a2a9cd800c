"""How much of each vector comes from other tokens, layer by layer."""

import streamlit as st

from encoder.pictures.registry.heads import MIXING
from pages.ui.picture import show
from pages.ui.text import heading


def draw() -> None:
    """The mixing ratio of every token in every layer."""
    heading("How much of each vector comes from others")
    st.markdown(
        "A layer adds what attention brings to what a token had. How much of the result is from **other** tokens?"
    )
    show(
        MIXING,
        more="The rest is its own: what it had before (the residual), and what it takes from itself. In the papers "
        "this is the mixing ratio with the residual, before the norm (AttnRes-N, Kobayashi et al. 2021).",
    )
