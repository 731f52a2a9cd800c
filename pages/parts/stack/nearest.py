"""The words of the embedding table that lie nearest to a token's vector after each layer."""

import numpy as np
import streamlit as st

from encoder.pictures.registry.output import NEAREST
from pages.ui.picture import ask, kept, show
from pages.ui.text import heading


def draw() -> None:
    """The nearest words to the chosen token, before the first layer and after each one."""
    scene = ask(NEAREST)
    heading("The nearest words of the table")
    if not np.isfinite(NEAREST.of(scene, kept(scene)).numbers.array).all():
        st.markdown("Some vectors of this token are not numbers, so no word is near.")
        return
    show(
        NEAREST,
        scene=scene,
        more="Cosine with the rows of the embedding table; no head and no bias is asked, as a guess of a word would.",
    )
