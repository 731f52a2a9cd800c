"""Two runs whose models differ in shape: the attention weights of both."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.steps import picture, title
from encoder.trace.trace import Trace
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import plain, say, theme


def draw(a: Trace, b: Trace) -> None:
    """The weights of one head of each."""
    weights("A", a)
    weights("B", b)


def weights(name: str, run: Trace) -> None:
    """The attention weights of one run, of the chosen layer and head or the last that its model has."""
    view = state.current()
    layer, head = min(view.layer, run.config.n_layers - 1), min(view.head, run.config.n_heads - 1)
    step = run.step(f"layers.{layer}.attention.weights")
    seen = picture(run, step, head)
    st.markdown(f"**{name}: {plain(run.source.name)}, layer {layer}, head {head}**")
    about = About.of(run, step.name, head)
    said = f"{name}: {title(step, head)}. {seen.fact()}"
    chart(seen.draw(theme()), f"weights_{name.lower()}", said, about, numbers=True,
          made=f't["{step.name}"][{head}]')  # fmt: skip
    say(seen.fact())
