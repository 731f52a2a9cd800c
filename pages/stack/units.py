"""The most active units of the feed-forward at a token, and the words that they write towards."""

import pandas as pd
import streamlit as st

from encoder.metrics import most_active
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER
from pages.ui.widgets import pick_token


def draw() -> None:
    """A token, its units, and the words whose embeddings are nearest."""
    trace, view = session.now(), state.current()
    tokens = trace.tokens
    st.markdown(f"A unit is one of the numbers in the middle of the feed-forward, here of layer {view.layer}.")
    position = pick_token("Token", tokens, "unit_token")
    values, units = most_active(trace[trace.step(f"layers.{view.layer}.feed_forward.output").inputs[0]][position], 5)
    rows = [
        {"unit": unit, "activation": value, "its output points to": session.words_of_unit(view.model, view.layer, unit)}
        for unit, value in zip(units.tolist(), values.tolist(), strict=True)
    ]
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="unit_words", column_config={"activation": NUMBER})
    st.caption("Words whose embedding has the largest cosine with what the unit writes; later layers still act on it.")
