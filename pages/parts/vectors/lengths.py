"""How long the vectors are that one layer adds up."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.metrics import contributions
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import theme


def draw() -> None:
    """What came in and what each sublayer of the chosen layer adds, per token."""
    trace, view = session.now(), state.current()
    tokens = trace.tokens
    st.markdown(f"In layer {view.layer}: a long bar says that much is added, not that it is kept.")
    parts = {name: values[view.layer].numpy() for name, values in contributions(trace).items()}
    first, second = list(parts)[:2], list(parts)[2:]
    for (residual, added), key, adds in (
        (first, "from_attention", "what attention adds"),
        (second, "from_feed_forward", "what feed-forward adds"),
    ):
        lengths = {"what came in": parts[residual], adds: parts[added]}
        about = About(trace, layer=view.layer, reads=(residual, added))
        bars = token_bars(lengths, tokens, title="length", theme=theme())
        said = f"Length of what came in ({residual}) and of {adds} ({added}), per token"
        made = f"[contributions(t)[name][{view.layer}] for name in {(residual, added)}]"
        chart(bars, key, said, about, numbers=True, made=made)
    st.markdown("Vectors are added, not their lengths: two long vectors can cancel out.")
