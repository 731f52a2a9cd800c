"""Training: when did it learn that? Grammar on film in a trained model; small networks, mysteries among them."""

from typing import Any

import streamlit as st

from pages.training import grammar, mystery_section, task_section
from pages.ui.refusals import parts, shows_errors
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
        (small_networks if chosen == PARTS[1] else grammar.draw)(above)


def small_networks(above: Any) -> None:
    """A network whose task is to be found out, and beside it one that is trained on a task."""
    left, right = st.columns(2, gap="large")
    with left:
        parts(mystery_section.draw)
    with right:
        parts(learning)


def learning() -> None:
    """A task, its run, and the way into its model."""
    page, below = st.container(), st.container()
    with below:
        settings = task_section.draw_choices()
    with page:
        task_section.draw_run(settings)
    with below:
        task_section.draw_openings(settings)
