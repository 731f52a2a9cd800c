"""The sentence on top of the page, A, against another sentence or model, B."""

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments.compare import aligned_tokens, first_difference
from encoder.pictures.registry.compare import APART, spell
from encoder.pictures.registry.side_by_side import BESIDE_A, BESIDE_B, BESIDE_CHANGE
from encoder.trace.trace import Trace
from pages.parts.compare import followed, two_shapes
from pages.ui import session
from pages.ui.picture import ask, show
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side, whole_run
from pages.ui.text import heading, plain, say
from pages.ui.widgets import fold


def draw() -> None:
    """Both sentences word by word, B minus A, how far their vectors are apart, and any step of both."""
    try:
        choose_model()
    except EncoderError as error:
        st.markdown(plain(f"Model B cannot be shown: {error}."))
        return
    scene = ask(APART)
    a, b = scene.t, scene.b
    pairs = aligned_tokens(a, b)
    spelled = [(spell(a, p.a), spell(b, p.b)) for p in pairs]
    st.text("Words side by side: " + " ".join(x if x == y else f"[{x} | {y}]" for x, y in spelled))
    unlike = (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model)
    if unlike or all(p.a is None or p.b is None for p in pairs):
        why = "These models differ in layers or width" if unlike else "No word of A stands beside one of B"
        st.markdown(f"{why}, so their vectors are not subtracted; the weights of both can be looked at.")
        two_shapes.draw(scene)
        return
    part = first_difference(a, b)
    say(f"The words that both share first part at {part}." if part else "No number differs.")
    if part:
        on_the_map(a, b)
    show(APART, scene=scene)
    followed.draw(scene)
    pictures = {"A": BESIDE_A, "B": BESIDE_B, "B minus A": BESIDE_CHANGE}
    fold(
        "Any step of both, side by side",
        "beside_open",
        lambda: side_by_side.draw(scene, pictures),
        holds={"beside_step"},
    )


def on_the_map(a: Trace, b: Trace) -> None:
    """The whole run of B as the difference to that of A, where each token of one has its place in the other."""
    heading("B minus A in one picture")
    if len(a.tokens) != len(b.tokens):
        st.caption(f"A has {len(a.tokens)} tokens and B {len(b.tokens)}; with as many, the whole runs are subtracted.")
    elif (a.config.n_heads, a.config.d_ff) == (b.config.n_heads, b.config.d_ff):
        view = state.current()
        whole_run.draw_change(a, b, view.other_model or view.model)


def choose_model() -> None:
    """The model of run B; EncoderError if it cannot be had."""
    view = state.current()
    if view.other_model:
        models.remember(view.other_model)
    offered = ["", *(name for name in models.names() if name != view.model)]
    names = {"": "the same model"} | {name: models.offer(name).label for name in offered[1:]}
    st.selectbox("Model B", offered, format_func=lambda name: names[name], **state.widget("other_model"))
    session.text_encoder(view.other_model or view.model)
