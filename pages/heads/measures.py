"""One measure of every head."""

import streamlit as st

from encoder.metrics import HEAD_MEASURES
from encoder.pictures.registry.heads import MEASURE, MEASURED
from pages.heads.common import measured
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.state import session_state as state
from pages.ui.text import plain


def draw() -> None:
    """The chosen measure as a picture, a row for each layer."""
    over = measured()
    st.pills("Measure", list(HEAD_MEASURES), required=True, format_func=title, **tie(MEASURE, ask(MEASURED)))
    scene = ask(MEASURED)
    show(MEASURED, scene=scene, known={over.measurement: over.heads})
    st.markdown(plain(f"{HEAD_MEASURES[scene[MEASURE]].meaning} {over.over}"))
    if over.heads.sentences == 1 and (state.current().hidden or session.now().padding):
        st.caption("Measured on the whole sentence, with no token masked.")


def title(name: str) -> str:
    """What a measure is called on its button."""
    return plain(HEAD_MEASURES[name].title)
