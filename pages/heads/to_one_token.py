"""Attention flow: the largest flow through all layers to one token."""

import streamlit as st

from encoder.metrics import FLOW_TOKENS
from encoder.pictures.expression import Expression
from encoder.pictures.registry.heads import FLOW_TOKEN, MAX_FLOW
from pages.ui.picture import ask, kept, show
from pages.ui.server import job_queue
from pages.ui.state import session_state as state
from pages.ui.text import heading
from pages.ui.widgets import pick_token


def draw() -> None:
    """The flow to the chosen token, computed when it is asked for."""
    scene = ask(MAX_FLOW)
    tokens, flow_of = scene.t.tokens, MAX_FLOW.measure
    heading("Through all layers: flow to one token")
    if len(tokens) > FLOW_TOKENS:
        st.markdown(f"Maximum flow is computed for at most {FLOW_TOKENS} tokens; this sentence has {len(tokens)}.")
        return
    pick_token("Token", tokens, FLOW_TOKEN.key)
    measurement: Expression = flow_of(scene := ask(MAX_FLOW))
    this = (scene.view.model, scene.t.inputs, scene.view.hidden, scene.view.edits, str(measurement))
    if st.button("Compute its flow", key="compute_flow"):
        with job_queue.slot():
            answer = MAX_FLOW.of(scene, kept(scene))
            state.session().sweeps["max_flow"] = (this, answer.measured)
    last, shares = state.session().sweeps.get("max_flow", (None, None))
    if last == this:
        show(MAX_FLOW, scene=scene, known={measurement: shares})
        st.caption("Attention flow (Abnar & Zuidema 2020): the largest flow through the same graph, as shares.")
