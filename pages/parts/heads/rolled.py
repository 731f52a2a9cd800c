"""Attention rollout: weights multiplied through all layers."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.metrics import rollout
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme


def draw() -> None:
    """The rollout up to a layer."""
    trace = session.now()
    tokens, layers = trace.tokens, range(trace.config.n_layers)
    heading("Through all layers: rollout")
    upto = st.select_slider("Up to layer", layers, **state.choice("rollout_layer", layers, layers[-1]))
    rolled = rollout(trace)[upto].numpy()
    drawn = matrix(
        rolled, tokens, tokens, kind="share", theme=theme(), row_title=f"after layer {upto}", column_title="input"
    )
    fact = main_fact(rolled, tokens, tokens, "share", trace.tokenization.special)
    about = About(trace, reads=(f"layers.{upto}.attention.weights",))
    chart(drawn, "rollout", f"Rollout up to layer {upto}. {fact}", about, made=f"rollout(t)[{upto}]")
    say(
        fact,
        "Attention rollout (Abnar & Zuidema 2020): mean of the heads, half identity for the residual, rows divided by "
        "their sums, layers multiplied. The half is assumed; the picture above shows how far it is from what is "
        "measured.",
    )
    downloads.numbers("rollout", "rollout", lambda: downloads.frame(rolled, tokens, tokens), rolled.shape)
