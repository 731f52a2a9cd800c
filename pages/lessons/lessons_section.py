"""Lessons to choose from: a few cards in sight, those that were begun first, and the others in a fold."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.lessons import library
from pages.ui.text import plain, subheading
from pages.ui.widgets import fold

FIRST = 3  # lessons that are in sight before the others are asked for
MEND = f"All other lessons are here. Correct this in the folder that {library.OWN} names, and start the app again."


def draw() -> None:
    """A few lessons to start with, and the others in a fold."""
    names = list(library.offered())
    if problems := library.own().refused:
        st.warning(plain("  \n".join((*problems, MEND))))
    with st.container(key="first_lessons"):
        for name in names[:FIRST]:
            card(name, large=True)
    fold(f"The other {len(names) - FIRST} lessons", "all_lessons", lambda: others(names[FIRST:]))


def others(names: Sequence[str]) -> None:
    """Their cards beside each other."""
    with st.grid("auto", min_column_width=280):
        for name in names:
            card(name)


def card(name: str, *, large: bool = False) -> None:
    """A lesson: for whom and how long it is, how far it was played, and the way into it."""
    lesson = library.offered()[name]
    with st.container(border=True, key=f"card_{name}", horizontal=large, vertical_alignment="center"):
        about = [f"about {lesson.minutes} min"] * bool(lesson.minutes)
        about += [f"{len(lesson.steps)} steps" if len(lesson.steps) > 1 else "1 step"]
        with st.container(gap="xsmall"):
            subheading(plain(lesson.title))
            st.caption(" · ".join(about))
        st.button(
            "Start",
            key=f"start_{name}",
            on_click=library.go,
            width="content",
            type="primary" if large else "secondary",
            args=(name, 1),
        )
