"""The lesson that is being made outlives a reload: the browser keeps it, and gives it back to a session without one."""

from encoder.teach.lessons.foreign import pack, unpack
from encoder.teach.lessons.lesson import LessonError
from pages.ui.component import component
from pages.ui.lessons import draft as lesson_draft
from pages.ui.lessons import library
from pages.ui.state import session_state as state

_component = component(__file__, "draft_store", "<span></span>")


def draw() -> None:
    """Have the browser keep the draft, and ask it for an earlier one where there is none."""
    _component(key="draft_store", data={"draft": packed()}, on_kept_change=take)


def packed() -> str:
    """The draft as text; empty where there is nothing to keep, or too much."""
    return pack(lesson_draft.draft()) or "" if lesson_draft.steps() else ""


def take() -> None:
    """Go on with what the browser kept. It comes from outside, so it is read as any other lesson."""
    said = state.picked("draft_store", "kept")
    if not isinstance(said, str) or lesson_draft.steps():
        return
    try:
        lesson_draft.put(library.fitting(unpack(said), "the lesson kept here"))
    except LessonError:
        return  # an earlier version's, or nobody's: there is nothing to go on with
