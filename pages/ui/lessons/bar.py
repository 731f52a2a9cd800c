"""What the bar above every page holds of lessons: the way back to one, and a button that adds a view to a new one."""

import streamlit as st

from pages.ui.lessons import draft as lesson_draft
from pages.ui.lessons import library
from pages.ui.state import session_state as state
from pages.ui.state.site import Page


def draw(page: Page) -> None:
    """Draw the buttons that this page and moment call for."""
    view = state.current()
    if view.lesson and page != library.HERE:
        st.button("Back to the lesson", key="back_to_lesson", icon=":material/school:", on_click=back)
    if lesson_draft.on() and page.key in library.SHOWN:
        count = len(lesson_draft.steps())
        st.button(f"Add this view ({count})", key="add_view", icon=":material/add:", on_click=lesson_draft.add,
                  args=(page.key,), help="Makes what is on the screen the next step of your lesson.")  # fmt: skip


def back() -> None:
    """Show the lesson's step again, or the list of lessons if it is not here any more."""
    view = state.current()
    try:
        library.go(view.lesson, view.at)
    except ValueError:
        library.leave()
        state.session().go_to = library.HERE.script
