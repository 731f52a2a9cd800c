"""Weights against what they hand over, in one head."""

import streamlit as st

from encoder.export.caption import About
from encoder.formatting import percent, shown
from encoder.metrics import disagreement, gained, norm_weighted
from pages.ui import session
from pages.ui.components import maps
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.state.view import Cell
from pages.ui.step import inspector
from pages.ui.text import say, theme


def draw() -> None:
    """Weight, flow and their difference as maps, and the weight of a picked pair."""
    trace, view = session.now(), state.current()
    tokens = trace.tokens
    st.header(f"Weight and flow (layer {view.layer}, head {view.head})")
    st.markdown(
        "A large weight on a token that offers a short vector moves little. The flow is the length of what is really "
        "handed over: weight times transformed value, ‖A f(x)‖ (Kobayashi et al. 2020)."
    )
    flowing = norm_weighted(trace, view.layer)
    flow, unlike = flowing[view.head].numpy(), disagreement(trace, view.layer)[view.head]
    weights = trace.array(f"layers.{view.layer}.attention.weights")[view.head]
    three = [
        maps.Map("Weight", "Attention weight", weights, "share", 1.0),
        maps.Map("Flow", "Flow", flow, "positive", float(flowing.max())),
        maps.Map("Flow as shares minus weight", "Disagreement", unlike.numpy(), "signed", 1.0),
    ]
    about = About(trace, layer=view.layer, head=view.head, reads=("attention.weights", "attention.v"))
    maps.draw("flows", three, tokens, theme(), open_weight, about, exact=True, least=176)
    st.caption(f"{maps.scales(three)} The scale of the flow is that of all heads. Click a pair to open its weight.")
    more = gained(unlike)
    most, least = int(more.argmax()), int(more.argmin())
    say(
        f"Against its weight, “{shown(tokens[most])}” ({most}) hands over most, and “{shown(tokens[least])}” ({least}) "
        f"least: on average over the rows its share of the flow is {percent(float(-more[least]) / len(tokens))} below "
        "its share of the weight."
    )
    downloads.numbers("flow", "norm_weighted", lambda: downloads.frame(flow, tokens, tokens), flow.shape)
    inspector.draw(trace)


def open_weight(number: int, row: int, column: int) -> None:
    """Open the weight of the pair that was picked."""
    view = state.current()
    inspector.open_number(Cell(f"layers.{view.layer}.attention.weights", (view.head, row, column)), fresh=True)
