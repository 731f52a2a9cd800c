"""Learning, how did it learn this? Grammar is born in a trained model; a task learned here, mysteries."""

import streamlit as st

from pages.learn import grammar, mystery_section, task_section
from pages.ui.picture_view import tabs
from pages.ui.state import session_state as state
from pages.ui.widgets import apart


def learning() -> None:
    """A task, its run, and the way into its model."""
    page, below = st.container(), st.container()
    with below:
        settings = task_section.draw_choices()
    with page:
        task_section.draw_run(settings)
    with below:
        task_section.draw_openings(settings)


TASK, FILM = "Learn a task", "Grammar is born"


def draw() -> None:
    """Draw the page."""
    chosen = dict(state.current().choices)
    of_task = any(name.startswith("learn_") for name in chosen)
    if state.session().linked and of_task and "learn_part" not in chosen:
        state.remember("learn_part", TASK, FILM)  # a link that says what is to be learned, and not where
    with apart():
        tabs({FILM: grammar.draw, TASK: learning, "Mystery models": mystery_section.draw}, "learn_part")
