"""The sentence on top of the page, A, against another sentence or model, B."""

import streamlit as st

from encoder.experiments.compare import aligned_tokens, first_difference
from encoder.pictures.registry.compare import APART
from encoder.pictures.registry.side_by_side import BESIDE_A, BESIDE_B, BESIDE_CHANGE
from encoder.support.errors import EncoderError
from pages.compare import followed, two_shapes
from pages.ui import session
from pages.ui.picture import ask, show
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side
from pages.ui.text import plain, say
from pages.ui.widgets import fold


def draw() -> None:
    """How far the vectors of both runs are apart, one word of both, and any step of both."""
    try:
        have_model()
    except EncoderError as error:
        st.markdown(plain(f"Model B cannot be shown: {error}."))
        return
    scene = ask(APART)
    a, b = scene.t, scene.b
    pairs = aligned_tokens(a, b)
    unlike = (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model)
    if unlike or all(p.a is None or p.b is None for p in pairs):
        why = "These models differ in layers or width" if unlike else "No word of A stands beside one of B"
        st.markdown(f"{why}, so their vectors are not subtracted; the weights of both can be looked at.")
        two_shapes.draw(scene)
        return
    part = first_difference(a, b)
    say(f"The words that both share first part at {part}." if part else "No number differs.")
    show(APART, scene=scene)
    followed.draw(scene)
    pictures = {"A": BESIDE_A, "B": BESIDE_B, "B minus A": BESIDE_CHANGE}
    fold(
        "Any step of both, side by side",
        "beside_open",
        lambda: side_by_side.draw(scene, pictures),
        holds={"beside_step"},
    )


def have_model() -> None:
    """Load the model of run B; EncoderError if it cannot be had."""
    view = state.current()
    if view.other_model:
        models.remember(view.other_model)
    session.text_encoder(view.other_model or view.model)
