"""The lesson that a person is making: its steps so far, kept in the session."""

from dataclasses import replace

from encoder.pictures.figure_link import OWN
from encoder.pictures.link import to_query
from encoder.teach.lessons.lesson import MOST_STEPS, NOT_IN_VIEW, Lesson, LessonStep
from pages.ui.lessons import library
from pages.ui.state import session_state as state

# What is chosen on the page where lessons are made, which is no part of what a step shows
OF_LESSONS = {"lessons_part", "all_lessons", "tutorial", "find_term", "term_place"}
EMPTY = Lesson("My lesson", "", ())


def on() -> bool:
    """Whether views are being collected."""
    return state.session().drafting


def draft() -> Lesson:
    """The lesson so far."""
    return state.session().draft or EMPTY


def steps() -> tuple[LessonStep, ...]:
    """Its steps."""
    return draft().steps


def put(lesson: Lesson) -> None:
    """Make this the lesson that is being made; the fields that show it are filled anew."""
    here = state.session()
    here.draft = lesson
    here.draft_round += 1


def add(page: str) -> None:
    """Make what is on the screen the next step."""
    if len(steps()) >= MOST_STEPS:
        state.note([f"The lesson has {MOST_STEPS} steps, and may not have more."])
        return
    query = {
        name: text
        for name, text in to_query(state.current()).items()
        if name not in NOT_IN_VIEW and name not in OF_LESSONS and not name.startswith(OWN)
    }
    shown = library.SHOWN[page]
    text = "Try this." if shown == library.LABS else f"Look at the page “{shown.title}”."
    put(replace(draft(), steps=(*steps(), LessonStep(page, text, query))))


def remove(number: int) -> None:
    """Take a step away, counted from 0."""
    put(replace(draft(), steps=(*steps()[:number], *steps()[number + 1 :])))


def move(number: int) -> None:
    """Exchange a step with the one before it."""
    order = list(steps())
    order[number - 1], order[number] = order[number], order[number - 1]
    put(replace(draft(), steps=tuple(order)))
