"""Training: when did it learn that? Grammar on film in a trained model; small networks, mysteries among them."""

import streamlit as st

from pages.training import grammar, task_section
from pages.ui.refusals import shows_errors
from pages.ui.state import session_state as state

PARTS = ("Grammar on film", "Small networks")


def draw() -> None:
    """Draw the page: the headline, at its right which part it is of, and that part."""
    with st.container(horizontal=True, vertical_alignment="center", key="parts_training"):
        above = st.container()
        choice = state.choice("training_part", PARTS, PARTS[0])
        chosen = st.segmented_control(
            "Part of the page", PARTS, required=True, label_visibility="collapsed", width="content", **choice
        )
    with shows_errors():
        (task_section if chosen == PARTS[1] else grammar).draw(above)
