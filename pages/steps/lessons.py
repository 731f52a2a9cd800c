"""Lessons: small experiments in order, each with a prediction and a number measured on the spot."""

import streamlit as st

from encoder.lessons.lesson import LessonError
from pages.ui.lessons import library, maker, player, tutorials
from pages.ui.state import session_state as state
from pages.ui.text import plain
from pages.ui.widgets import tabs


def offer() -> None:
    """All bundled lessons, for whom and how long each is, and how far each was played."""
    st.markdown(
        "Each lesson is a few small experiments that run now, in this model. Guess first, then see. "
        "**Previous** and **Next**, or the arrow keys, lead through a lesson; **S** shows what comes out."
    )
    seen = state.session().seen
    with st.grid("auto", min_column_width=280):
        for number, (name, lesson) in enumerate(library.bundled().items()):
            with st.container(border=True, key=f"card_{name}"):
                st.markdown(f"**{plain(lesson.title)}**  \n{plain(lesson.learn)}")
                count, done = len(lesson.steps), seen.get(name, 0)
                said = [lesson.level, f"about {lesson.minutes} min", f"{count} steps"]
                st.caption(" · ".join(said + [f"seen to {done}"] * bool(done)))
                began = 1 < done < count
                st.button("Go on" if began else "Start", key=f"start_{name}", on_click=library.go,
                          type="secondary" if number else "primary", args=(name, done if began else 1))  # fmt: skip


lesson = None
if name := state.current().lesson:
    try:
        lesson = library.find(name)
    except LessonError as error:
        st.error(plain("  \n".join(error.problems)))
        library.leave()
if lesson is not None:
    player.draw(lesson)
else:
    tabs({"Lessons": offer, "Tutorials": tutorials.draw, "Make a lesson": maker.draw}, "lessons_part")
