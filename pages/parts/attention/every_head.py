"""All heads of one layer as small maps."""

import streamlit as st

from encoder.export.caption import About
from encoder.steps.step import Step
from pages.parts.attention.common import as_map
from pages.ui import session
from pages.ui.components import maps
from pages.ui.state import session_state as state
from pages.ui.text import theme


def draw(step: Step) -> None:
    """A step with a matrix for each head; a click shows that head."""
    trace, view = session.now(), state.current()
    st.header(f"All heads of layer {view.layer}: {step.title.lower()}")
    heads = [as_map(trace, step, h, f"head {h}", locked=True) for h in range(trace.config.n_heads)]
    about = About.of(trace, step.name)
    maps.draw("heads", heads, trace.tokens, theme(), take_head, about, chosen=view.head, least=150)
    st.caption(f"{maps.scales(heads)} Click a head to show it above.")


def take_head(number: int, row: int, column: int) -> None:
    """Show the head that was picked."""
    state.change(head=number)
