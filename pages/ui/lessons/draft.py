"""The lesson that a person is making: its steps so far, in the session and, over a reload, in the browser."""

from dataclasses import replace

from encoder.pictures.link import to_query
from encoder.teach.lessons.foreign import pack, unpack
from encoder.teach.lessons.lesson import MOST_STEPS, NOT_IN_VIEW, Lesson, LessonError, LessonStep
from pages.ui.component import component
from pages.ui.lessons import library
from pages.ui.state import session_state as state

# What is chosen on the page where lessons are made, which is no part of what a step shows
OF_LESSONS = {"lessons_part", "all_lessons", "tutorial", "find_term", "term_place"}
EMPTY = Lesson("My lesson", "", ())


def on() -> bool:
    """Whether views are being collected."""
    return state.session().draft.collecting


def draft() -> Lesson:
    """The lesson so far."""
    return state.session().draft.lesson or EMPTY


def steps() -> tuple[LessonStep, ...]:
    """Its steps."""
    return draft().steps


def put(lesson: Lesson) -> None:
    """Make this the lesson that is being made; the fields that show it are filled anew."""
    here = state.session()
    here.draft.lesson = lesson
    here.draft.round += 1


def add(page: str) -> None:
    """Make what is on the screen the next step."""
    if len(steps()) >= MOST_STEPS:
        state.note([f"The lesson has {MOST_STEPS} steps, and may not have more."])
        return
    query = {
        name: text
        for name, text in to_query(state.current()).items()
        if name not in NOT_IN_VIEW and name not in OF_LESSONS
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


_component = component(__file__, "draft_store", "<span></span>")


def draw_store() -> None:
    """Have the browser keep the draft, and ask it for an earlier one where there is none."""
    _component(key="draft_store", data={"draft": packed()}, on_kept_change=take_stored)


def packed() -> str:
    """The draft as text; empty where there is nothing to keep, or too much."""
    return pack(draft()) or "" if steps() else ""


def take_stored() -> None:
    """Go on with what the browser kept. It comes from outside, so it is read as any other lesson."""
    stored = state.picked("draft_store", "kept")
    if not isinstance(stored, str) or steps():
        return
    try:
        put(library.fitting(unpack(stored), "the lesson kept here"))
    except LessonError:
        return  # an earlier version's, or nobody's: there is nothing to go on with
