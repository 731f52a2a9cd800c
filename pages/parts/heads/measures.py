"""One measure of every head."""

import streamlit as st

from encoder.figures.matrix import matrix
from pages.parts.heads.common import MEASURES, surveyed
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import head_names, layer_names, plain, theme


def draw() -> None:
    """The chosen measure as a picture, a row for each layer."""
    trace, view = session.now(), state.current()
    found = surveyed()
    tie = state.choice("measure", MEASURES, "entropy_share")
    name = st.pills("Measure", list(MEASURES), required=True, format_func=lambda m: plain(MEASURES[m][0]), **tie)
    title, kind, meaning = MEASURES[name]
    values, layers, heads = found.measures[name].numpy(), layer_names(trace.config), head_names(trace.config)
    chart(matrix(values, layers, heads, kind=kind, theme=theme()), "measured", f"{title} of every head. {meaning}")
    st.markdown(
        plain(f"{meaning} Over {found.sentences} sentence{'s' if found.sentences > 1 else ''}, {found.tokens} tokens.")
    )
    if found.sentences == 1 and (view.hidden or trace.padding):
        st.caption("Measured on the whole sentence, with no token hidden.")
