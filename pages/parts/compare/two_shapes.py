"""Two runs whose models differ in shape: the attention weights of both."""

import streamlit as st

from encoder.export.caption import About
from encoder.pictures.registry.steps import step_picture
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme


def draw(a: Trace, b: Trace) -> None:
    """The weights of one head of each."""
    view = state.current()
    weights("A", a, view.model)
    weights("B", b, view.other_model or view.model)


def weights(name: str, run: Trace, model: str) -> None:
    """The attention weights of one run, of the chosen layer and head or the last that its model has."""
    view = state.current()
    layer, head = min(view.layer, run.config.n_layers - 1), min(view.head, run.config.n_heads - 1)
    step = f"layers.{layer}.attention.weights"
    answer = step_picture(session.text_encoder(model), run, step, head)
    st.markdown(f"**{name}: {plain(run.source.name)}, layer {layer}, head {head}**")
    about = About.of(run, step, head)
    chart(answer.figure(theme()), f"weights_{name.lower()}", f"{name}: {answer.alt}", about, numbers=True,
          made=f't["{step}"][{head}]')  # fmt: skip
    say(answer.sentence)
