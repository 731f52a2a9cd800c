"""Numbers of A put into B, one layer and position at a time: how much of the difference comes back."""

import streamlit as st

from encoder.experiments.compare import patch_sweep
from encoder.pictures.registry.compare import PATCH, PATCH_HEADS, PATCH_STEP, PATCHED, patched_heads, swept
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from pages.ui.picture import ask, show, tie
from pages.ui.step import sweep
from pages.ui.text import plain


def draw() -> None:
    """What is patched, the way to run it, and what came back."""
    scene = ask(PATCH)
    view, a, b = scene.view, scene.t, scene.b
    st.markdown(plain(f"A is “{shown(a.text, 80)}”, B is “{shown(b.text, 80)}” in the same model."))
    if len(a.tokens) != len(b.tokens):
        st.markdown(f"A has {len(a.tokens)} tokens and B has {len(b.tokens)}; a patch needs the same number.")
        return
    choose(scene)
    scene = ask(PATCH)
    step, heads = scene[PATCH_STEP], patched_heads(scene)
    asked = (view.model, a.inputs, b.inputs, view.hidden, view.edits, step, heads)
    try:
        result = sweep.follow(
            "patch", asked, lambda: patch_sweep(scene.encoder, a, b, step, heads=heads), "Patch every place in turn"
        )
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    if result is not None:
        show(PATCH, scene=scene, known={swept(scene): result})


def choose(scene: Scene) -> None:
    """The step that is patched, and which of its heads; none stands for all."""
    step = st.selectbox("Step", PATCHED, **tie(PATCH_STEP, scene))
    if step == "attention.heads":
        every = range(scene.encoder.config.n_heads)
        st.pills("Heads", every, selection_mode="multi", **tie(PATCH_HEADS, scene))
