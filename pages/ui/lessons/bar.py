"""What the bar holds of lessons: the way through one and back to it."""

from typing import Any

import streamlit as st

from encoder.support.errors import EncoderError
from encoder.teach.lessons.lesson import LessonError
from pages.ui.components import share
from pages.ui.lessons import library
from pages.ui.state import session_state as state
from pages.ui.state.site import Page


def has_ways(page: Page) -> bool:
    """Return whether there is a lesson to go through or back to."""
    return bool(state.current().lesson or (page == library.HERE and state.session().lesson.aside))


def draw(page: Page) -> None:
    """Draw the buttons that this page and moment call for."""
    view = state.current()
    if view.lesson and page == library.HERE:
        walk(view.lesson, view.at)
    if (page == library.HERE and state.session().lesson.aside) or (page != library.HERE and view.lesson):
        st.button("Back to the lesson", key="back_to_lesson", icon=":material/school:", on_click=back)


def walk(name: str, at: int) -> None:
    """Through the lesson, out of it, and to it from another device."""
    try:
        count = len(library.find(name).steps)
    except LessonError:
        return  # the page says so
    at = min(max(at, 1), count)
    st.button("All lessons", key="leave_lesson", type="tertiary", on_click=library.leave)
    fold = st.popover("Share", key="share_lesson", icon=":material/qr_code_2:", on_change="rerun")
    if fold.open:
        with fold:
            share.draw(library.link(name))
    with st.container(horizontal=True, key="lesson_walk", width=260):
        both: dict[str, Any] = {"width": "stretch", "on_click": library.go}
        on: dict[str, Any] = {"disabled": at == count, "type": "primary" if at < count else "secondary"}
        st.button("Previous", key="lesson_previous", shortcut="Left", disabled=at == 1, args=(name, at - 1), **both)
        st.button("Next", key="lesson_next", shortcut="Right", args=(name, at + 1), **on, **both)


def back() -> None:
    """Show the lesson's step again, or the list of lessons if it is not here any more."""
    view = state.current()
    try:
        library.go(*(state.session().lesson.aside or (view.lesson, view.at)))
    except EncoderError:
        library.leave()
        state.session().go_to = library.HERE.key
