"""How alike the tokens are after a layer."""

import numpy as np
import streamlit as st

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import cosine_matrix, stream
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, layer_names, say, theme


def draw() -> None:
    """The cosine between every two tokens."""
    trace = session.now()
    tokens, layers = trace.tokens, layer_names(trace.config, with_input=True)
    heading("How alike the tokens are")
    at = st.select_slider("After", layers, **state.choice("alike_layer", layers, layers[-1]))
    alike = cosine_matrix(stream(trace)[layers.index(at)]).numpy()
    drawn = matrix(alike, tokens, tokens, kind="signed", theme=theme(), fit=True)
    about = About.of_stream(trace, layers.index(at))
    others = alike[~np.eye(len(alike), dtype=bool)]
    least, mean = (brief(float(of(others))) if others.size else "1" for of in (np.min, np.mean))
    fact = f"After {at} two tokens have a cosine of {mean} on average, {least} at the least."
    chart(drawn, "alike_tokens", fact, about, made=f"cosine_matrix(stream(t)[{layers.index(at)}])")
    say(fact)
    downloads.numbers("alike", "cosine", lambda: downloads.frame(alike, tokens, tokens), alike.shape)
