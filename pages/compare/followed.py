"""One word of two runs, layer by layer."""

import streamlit as st

from encoder.pictures.registry.compare import FOLLOW, FOLLOWED, same_words, spell
from encoder.pictures.scene import Scene
from pages.ui.picture import show, tie


def draw(scene: Scene) -> None:
    """One word that stands in both runs, layer by layer, and beside it the first that was changed."""
    if same := same_words(scene):
        names = [f"{pair.a} {spell(scene.t, pair.a)}" for pair in same]
        st.selectbox("Follow the word", range(len(same)), format_func=names.__getitem__, **tie(FOLLOW, scene))
        show(FOLLOWED, scene=scene)
