"""Attention flow: the largest flow through all layers to one token."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.metrics import FLOW_TOKENS, flow
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.server import job_queue
from pages.ui.state import session_state as state
from pages.ui.text import heading, theme
from pages.ui.widgets import pick_token


def draw() -> None:
    """The flow to the chosen token, computed when it is asked for."""
    trace = session.now()
    tokens = trace.tokens
    heading("Through all layers: flow to one token")
    if len(tokens) > FLOW_TOKENS:
        st.markdown(f"Maximum flow is computed for at most {FLOW_TOKENS} tokens; this sentence has {len(tokens)}.")
        return
    target = pick_token("Token", tokens, "flow_token")
    view, kept = state.current(), state.session().sweeps
    asked = (view.model, trace.inputs, view.hidden, view.edits, target)
    if st.button("Compute its flow", key="compute_flow"):
        with job_queue.slot():
            kept["max_flow"] = (asked, flow(trace, target).numpy())
    last, reached = kept.get("max_flow", (None, None))
    if last == asked:
        bars = token_bars({"share of the flow": reached}, tokens, title="share of the flow", theme=theme())
        about = About(trace, reads=(f"layers.{trace.config.n_layers - 1}.attention.weights",))
        said = f"Share of the maximum flow to token {target} from each input token"
        chart(bars, "max_flow", said, about, numbers=True, made=f"flow(t, {target})")
        st.caption("Attention flow (Abnar & Zuidema 2020): the largest flow through the same graph, as shares.")
