"""Training: when did it learn that? Grammar is born in a trained model; small networks: mysteries, and one's own."""

import streamlit as st

from pages.training import grammar, mystery_section, task_section
from pages.ui.picture_view import tabs
from pages.ui.refusals import parts
from pages.ui.widgets import apart


def small_networks() -> None:
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


def draw() -> None:
    """Draw the page."""
    with apart():
        tabs({"Grammar is born": grammar.draw, "Small networks": small_networks}, "training_part")
