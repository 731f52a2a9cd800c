"""Every head and feed-forward block knocked out in turn, as a map of what each does to the result."""

import streamlit as st

from encoder.experiments.ablation import ablate_each
from encoder.pictures.registry.what_if import (
    ACTION,
    ACTIONS,
    EFFECT,
    LEFT_OUT,
    WATCHED,
    masked_place,
    offered,
    swept,
    typed,
    watched,
)
from encoder.support.errors import EncoderError
from pages.ui.picture import ask, show, tie
from pages.ui.step import sweep
from pages.ui.text import heading, plain


def draw() -> None:
    """The sweep on demand, and one of its effects."""
    scene = ask(LEFT_OUT)
    heading("Leave one out")
    st.markdown("Knock out every head and every feed-forward block in turn, each alone, and see which one matters.")
    if masked_place(scene) is not None:
        st.text_input(f"Word to watch at {scene.encoder.mask_token}", max_chars=40, **tie(WATCHED, scene))
        try:
            typed(scene := ask(LEFT_OUT))
        except EncoderError as error:
            st.caption(plain(f"{error}, so no word is watched."))
    st.pills("Put in its place", list(ACTIONS), required=True, **tie(ACTION, scene))
    scene = ask(LEFT_OUT)
    watch, action = watched(scene), ACTIONS[scene[ACTION]]
    this = (scene.view.model, scene.t.inputs, scene.view.hidden, scene.view.edits, watch, action)
    found = sweep.follow(
        "loo", this, lambda: ablate_each(scene.encoder, scene.t, action=action, watch=watch), "Knock out each in turn"
    )
    if found is not None:
        st.pills("Effect", list(offered(watch)), required=True, **tie(EFFECT, scene))
        show(LEFT_OUT, known={swept(scene): found})
