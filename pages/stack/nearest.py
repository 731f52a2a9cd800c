"""The words of the embedding table that lie nearest to a token's vector after each layer."""

import numpy as np
import streamlit as st

from encoder.pictures.registry.output import LENS_TOKEN, NEAREST
from pages.ui.picture import ask, kept, show
from pages.ui.widgets import pick_token


def draw() -> None:
    """A token, and the nearest words to it before the first layer and after each one."""
    scene = ask(NEAREST)
    pick_token("Token", scene.t.tokens, LENS_TOKEN.key, LENS_TOKEN.usual(scene))
    scene = ask(NEAREST)
    if not np.isfinite(NEAREST.of(scene, kept(scene)).numbers.array).all():
        st.markdown("Some vectors of this token are not numbers, so no word is near.")
        return
    show(
        NEAREST,
        scene=scene,
        more="Cosine with the rows of the embedding table; no head and no bias is asked, as a guess of a word would.",
    )
