"""Plays a lesson: text, prediction, what really comes out, and the picture of that view."""

import streamlit as st

from encoder.lessons.lesson import Lesson, LessonStep
from encoder.steps.step import Step
from encoder.trials import claim
from pages.ui import session
from pages.ui.lessons import findings, library, questions
from pages.ui.state import session_state as state
from pages.ui.state.view import View
from pages.ui.state.walk import stops_of
from pages.ui.step import panel, token_strip
from pages.ui.text import plain

STYLE = """<style>
.st-key-lesson_text p { font-size: 1.6rem; line-height: 1.35; max-width: 60ch; }
.st-key-lesson_outcome p, .st-key-lesson_verdict p { font-size: 1.25rem; max-width: 75ch; }
.st-key-lesson_question label p { font-size: 1.25rem; }
</style>"""


def draw(lesson: Lesson) -> None:
    """The step of the lesson that the view names."""
    view, count = state.current(), len(lesson.steps)
    at = min(max(view.at, 1), count)
    step = lesson.steps[at - 1]
    if at != view.at or arrives_by_link(step):
        library.go(view.lesson, at)
        state.session().go_to = ""  # this is the page
        state.write_url()
        st.rerun()
    st.html(STYLE)
    head(lesson, view.lesson, at)
    with st.container(key="lesson_text"):
        st.markdown(plain(step.text))
    if step.own:
        own_sentence()
    if library.changed(step):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("You have changed what this step shows.", width="content")
            st.button("Show the lesson's own view", key="reset_view", on_click=library.go, args=(view.lesson, at))
    place = (view.lesson, at)
    if step.question is None or questions.predicted(step, step.question, place):
        show(step)
    if at == count:
        st.success(ending(lesson, view.lesson), icon=":material/flag:")


def arrives_by_link(step: LessonStep) -> bool:
    """Whether the link named nothing but lesson and step, so that the step's own view is meant."""
    view = state.current()
    first = state.session().entered != (view.lesson, view.at)
    bare = View(lesson=view.lesson, at=view.at, present=view.present)
    return first and view == bare and library.changed(step)


def head(lesson: Lesson, name: str, at: int) -> None:
    """Title, way and progress."""
    count = len(lesson.steps)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_head"):
        st.header(plain(lesson.title), width="content")
        st.button("Previous", key="lesson_previous", shortcut="Left", disabled=at == 1,
                  on_click=library.go, args=(name, at - 1))  # fmt: skip
        st.button("Next", key="lesson_next", shortcut="Right", type="primary", disabled=at == count,
                  on_click=library.go, args=(name, at + 1))  # fmt: skip
        st.button("All lessons", key="leave_lesson", on_click=library.leave)
    st.progress(at / count, text=f"Step {at} of {count}")
    if at == 1:
        st.caption(f"What you will learn: {plain(lesson.learn)}")


def own_sentence() -> None:
    """Let a person try the step on another sentence."""
    view = state.current()
    state.show(own_sentence=view.sentence)
    st.text_input(
        "Try it on your own sentence",
        key="own_sentence",
        max_chars=600,
        on_change=take_sentence,
        icon=":material/edit:",
    )


def take_sentence() -> None:
    """Show the step on the sentence that was typed."""
    typed: str = state.value("own_sentence")
    if typed.strip():
        state.change(sentence=typed, cell=None, hidden=())


def show(step: LessonStep) -> None:
    """What is measured at this step, and the picture of its view."""
    if step.trial:
        with st.spinner("Measuring …", show_time=False):
            found = questions.finding_of(step)
        if isinstance(found, str):
            st.warning(plain(found))
        else:
            findings.draw(found, "lesson", claim(step.trial))
    page, view, trace = library.SHOWN[step.page], state.current(), session.now()
    st.button(
        f"Open this view on the page {page.title}",
        key="open_view",
        icon=page.icon,
        on_click=open_page,
        args=(page.key,),
    )
    if page.key == "sentence":
        token_strip.draw(trace)
    if page.parts:
        offered = stops_of(page, trace.config, view.layer)
        stop = offered.get(view.step) or offered.get(page.opens_on) or next(iter(offered.values()))
        drawn: Step = trace.step(stop.name)
        panel.show(trace, drawn, view.head)


def open_page(key: str) -> None:
    """Go to a page with the view as it is."""
    state.session().go_to = library.SHOWN[key].script


def ending(lesson: Lesson, name: str) -> str:
    """What to say at the end."""
    asked = [at for at, step in enumerate(lesson.steps, 1) if step.question]
    right = sum(state.session().right.get((name, at), False) for at in asked)
    return f"The end. You foresaw {right} of {len(asked)}." if asked else "The end."
