"""Two runs whose models differ in shape: the attention weights of both."""

import streamlit as st

from encoder.pictures.registry.compare import WEIGHTS_A, WEIGHTS_B, shown_head
from encoder.pictures.scene import Scene
from pages.ui.picture import show
from pages.ui.text import plain


def draw(scene: Scene) -> None:
    """The weights of one head of each, of the chosen layer and head or the last that its model has."""
    for name, run, picture in (("A", scene.t, WEIGHTS_A), ("B", scene.b, WEIGHTS_B)):
        layer, head = shown_head(run, scene)
        st.markdown(f"**{name}: {plain(run.source.name)}, layer {layer}, head {head}**")
        show(picture, scene=scene)
