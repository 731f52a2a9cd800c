"""Weights against what they hand over, in one head."""

import streamlit as st

from encoder.export.caption import About
from encoder.formatting import percent, points, shown
from encoder.metrics import disagreement, gained, largest_cell, norm_weighted
from encoder.pictures.view import Cell
from pages.ui import session
from pages.ui.components import maps
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step import opened
from pages.ui.text import heading, say, theme


def draw() -> None:
    """Weight, flow and their difference as maps, and the weight of a picked pair."""
    trace, view = session.now(), state.current()
    tokens = trace.tokens
    flowing = norm_weighted(trace, view.layer)
    flow, unlike = flowing[view.head].numpy(), disagreement(trace, view.layer)[view.head]
    heading(f"Looking is not taking (layer {view.layer}, head {view.head})")
    i, j = largest_cell(unlike.abs().numpy())
    weight = float(trace.array(f"layers.{view.layer}.attention.weights")[view.head, i, j])
    say(
        f"“{shown(tokens[i])}” ({i}) gives {percent(weight)} of its attention to “{shown(tokens[j])}” ({j}), and "
        f"{percent(weight + float(unlike[i, j]))} of what it takes comes from there.",
        "In no pair of this head are the two further apart. The weight says how much one token looks at another; "
        "what it takes is the weight times the vector that the other hands over. A short vector moves little, "
        "however large the weight.",
    )
    step = trace.step(f"layers.{view.layer}.attention.weights")
    weights, pair = trace.array(step.name)[view.head], opened.place_in(trace, step, view.head)
    three = [
        maps.Map("Weight", "Attention weight", weights, "share", 1.0),
        maps.Map("Flow", "Flow", flow, "positive", float(flowing.max())),
        maps.Map("Flow as shares minus weight", "Disagreement", unlike.numpy(), "signed", 1.0),
    ]
    about = About(trace, layer=view.layer, head=view.head, reads=("attention.weights", "attention.v"))
    parts = f't["{step.name}"]', f"norm_weighted(t, {view.layer})", f"disagreement(t, {view.layer})"
    made = f"[{', '.join(f'{part}[{view.head}]' for part in parts)}]"
    maps.draw("flows", three, tokens, theme(), open_weight, about, cell=pair, exact=True, least=176, made=made)
    st.markdown(
        "- **Weight**: how much the token of the row looks at that of the column.\n"
        "- **Flow**: how much it takes from there: weight times length of the vector handed over.\n"
        "- **Flow as shares minus weight**: above 0 the column gives more than its weight promises, below 0 less."
    )
    st.caption(
        f"{maps.scales(three)} The scale of the flow is that of all heads. Click a pair to open its weight. "
        "In formulas ‖A f(x)‖, where f(x) is the value taken through the head's part of W_O (Kobayashi et al. 2020)."
    )
    more = gained(unlike)
    most, least = int(more.argmax()), int(more.argmin())
    say(
        f"Over all rows, and against its weight, “{shown(tokens[most])}” ({most}) hands over most, "
        f"and “{shown(tokens[least])}” ({least}) "
        f"least: on average over the rows its share of the flow is {points(float(-more[least]) / len(tokens))} below "
        "its share of the weight."
    )
    downloads.numbers("flow", "norm_weighted", lambda: downloads.frame(flow, tokens, tokens), flow.shape)


def open_weight(number: int, row: int, column: int) -> None:
    """Open the weight of the pair that was picked."""
    view = state.current()
    opened.open_number(Cell(f"layers.{view.layer}.attention.weights", (view.head, row, column)), fresh=True)
