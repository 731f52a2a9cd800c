"""The lesson that a person is making: its steps so far, kept in the session."""

from dataclasses import replace

import streamlit as st

from encoder.lessons.lesson import MOST_STEPS, NOT_IN_VIEW, Lesson, LessonStep
from pages.ui.state import session_state as state
from pages.ui.state.site import PAGES

EMPTY = Lesson("My lesson", "What one will learn.", ())


def on() -> bool:
    """Whether views are being collected."""
    return bool(st.session_state.get("drafting"))


def draft() -> Lesson:
    """The lesson so far."""
    lesson: Lesson = st.session_state.get("draft", EMPTY)
    return lesson


def steps() -> tuple[LessonStep, ...]:
    """Its steps."""
    return draft().steps


def put(lesson: Lesson) -> None:
    """Make this the lesson that is being made; the fields that show it are filled anew."""
    st.session_state["draft"] = lesson
    st.session_state["draft_round"] = st.session_state.get("draft_round", 0) + 1


def add(page: str) -> None:
    """Make what is on the screen the next step."""
    if len(steps()) >= MOST_STEPS:
        state.note([f"The lesson has {MOST_STEPS} steps, and may not have more."])
        return
    query = {name: text for name, text in state.current().to_query().items() if name not in NOT_IN_VIEW}
    title = next(known.title for known in PAGES if known.key == page)
    text = f"Look at the page “{title}”."
    put(replace(draft(), steps=(*steps(), LessonStep(page, text, query))))


def remove(number: int) -> None:
    """Take a step away, counted from 0."""
    put(replace(draft(), steps=(*steps()[:number], *steps()[number + 1 :])))


def move(number: int) -> None:
    """Exchange a step with the one before it."""
    order = list(steps())
    order[number - 1], order[number] = order[number], order[number - 1]
    put(replace(draft(), steps=tuple(order)))
