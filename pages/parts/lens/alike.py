"""How alike the tokens are after a layer."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.metrics import cosine_matrix, stream
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import layer_names, theme


def draw() -> None:
    """The cosine between every two tokens."""
    trace = session.now()
    tokens, layers = trace.tokens, layer_names(trace.config, with_input=True)
    st.header("How alike the tokens are")
    at = st.select_slider("After", layers, **state.choice("alike_layer", layers, layers[-1]))
    alike = cosine_matrix(stream(trace)[layers.index(at)]).numpy()
    drawn = matrix(alike, tokens, tokens, kind="signed", theme=theme(), largest=1.0)
    about = About.of_stream(trace, layers.index(at))
    chart(drawn, "alike_tokens", f"Cosine between all tokens, after: {at}", about)
    downloads.numbers("alike", "cosine", lambda: downloads.frame(alike, tokens, tokens), alike.shape)
