"""Attention: queries, keys and values, scores, weights, and what the heads bring together."""

import streamlit as st

from encoder.figures.matrix import matrix
from encoder.figures.theme import shown
from encoder.metrics import weighted_values
from encoder.steps import PAIRS
from pages.ui import head_grid, session, state, step_panel

step = step_panel.draw("attention")
trace, view, theme = session.now(), state.current(), step_panel.theme()

if step.local == "attention.heads":
    st.subheader("What one token takes from each")
    tokens = trace.tokens
    query = st.selectbox("Token", range(len(tokens)), key="query", format_func=lambda i: f"{i} {shown(tokens[i])}")
    taken = weighted_values(trace, view.layer, view.head, query).numpy()
    st.plotly_chart(
        matrix(taken, tokens, "dimension", kind="signed", theme=theme),
        key="weighted_values",
        config=step_panel.CONFIG,
        alt="Each row is one token's value times the weight it gets; the rows add up to the weighted value.",
    )
    st.text(
        "Each row is that token's value times the weight it gets here. The rows add up to the row of the picture above."
    )

pairs = step if step.shape == PAIRS else trace.step(f"layers.{view.layer}.attention.weights")
st.subheader(f"All heads of layer {view.layer}: {pairs.title.lower()}")
head_grid.draw(trace.array(pairs.name), trace.tokens, pairs.values, theme, view.head)
