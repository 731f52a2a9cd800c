"""Lessons to choose from: a few cards in sight, those that were begun first, and the others in a fold."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.lessons import library
from pages.ui.state import session_state as state
from pages.ui.text import plain, subheading
from pages.ui.widgets import fold

FIRST = 3  # lessons that are in sight before the others are asked for
MEND = f"All other lessons are here. Correct this in the folder that {library.OWN} names, and start the app again."


def draw() -> None:
    """A few lessons to start with, those that were begun first, and the others in a fold."""
    names = sorted(library.offered(), key=lambda name: not begun(name))
    if problems := library.own().refused:
        st.warning(plain("  \n".join((*problems, MEND))))
    with st.container(key="first_lessons"):
        for name in names[:FIRST]:
            card(name, large=True)
    st.caption("**Previous** and **Next**, or the arrow keys, lead through a lesson; **S** shows what comes out.")
    fold(f"The other {len(names) - FIRST} lessons", "all_lessons", lambda: others(names[FIRST:]))


def others(names: Sequence[str]) -> None:
    """Their cards beside each other."""
    with st.grid("auto", min_column_width=280):
        for name in names:
            card(name)


def begun(name: str) -> bool:
    """Whether a lesson was begun and not seen to its end."""
    return 1 < state.session().lesson.played.get(name, 0) < len(library.offered()[name].steps)


def card(name: str, *, large: bool = False) -> None:
    """A lesson: for whom and how long it is, how far it was played, and the way into it."""
    lesson, seen = library.offered()[name], state.session().lesson.played.get(name, 0)
    with st.container(border=True, key=f"card_{name}", horizontal=large, vertical_alignment="center"):
        about = [lesson.level] * bool(lesson.level) + [f"about {lesson.minutes} min"] * bool(lesson.minutes)
        about += [f"{len(lesson.steps)} steps" if len(lesson.steps) > 1 else "1 step"]
        about += [f"seen to {seen}"] * bool(seen)
        with st.container(gap="xsmall"):
            subheading(plain(lesson.title))
            st.markdown(plain(lesson.learn))
            st.caption(" · ".join(about))
        st.button(
            "Go on" if begun(name) else "Start",
            key=f"start_{name}",
            on_click=library.go,
            width="content",
            type="primary" if large else "secondary",
            args=(name, seen if begun(name) else 1),
        )
