"""Plays a lesson: text, prediction and what really comes out at the left, the picture of that view at the right."""

import html

import streamlit as st

from encoder.pictures.labs import TRIALS
from encoder.pictures.labs.trial import Finding
from encoder.pictures.view import View
from encoder.teach.lessons.lesson import Lesson, LessonStep
from pages.ui.lessons import finding_view, lesson_picture, library, questions
from pages.ui.state import session_state as state
from pages.ui.text import plain, title

VEIL = "<div class='veil'><p>{}</p></div>"


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
    title(plain(lesson.title))
    with st.container(key="lesson"):
        text_side, picture_side = st.columns([2, 3], gap="medium")
    with text_side:
        head(lesson, at)
        question = step.question
        answered = question is None or questions.predicted(step, question, (view.lesson, at))
        finding = measured(step) if answered else None
        view_of_step = lesson_picture.of(library.SHOWN[step.page], step.trial)
        beside = view_of_step is not None or (isinstance(finding, Finding) and finding.picture is not None)
        if beside:
            say_finding(step, finding)
        if answered and at == count:
            ending(lesson, view.lesson)
        more(step, view.lesson, at, answered)
    with picture_side:
        if question is not None and not answered:
            st.html(VEIL.format(questions.promised(question)))
            return
        if not beside:
            say_finding(step, finding)
        if isinstance(finding, Finding):
            finding_view.picture(finding, step.trial, questions.given_to(step))
        if view_of_step is not None:
            view_of_step()


def arrives_by_link(step: LessonStep) -> bool:
    """Whether the link named nothing but lesson and step, so that the step's own view is meant."""
    view = state.current()
    first = state.session().lesson.entered != (view.lesson, view.at)
    bare = View(lesson=view.lesson, at=view.at)
    return first and view == bare and view != library.view_of(step, view.lesson, view.at)


def head(lesson: Lesson, at: int) -> None:
    """Progress and text; at first also what it is about."""
    step = lesson.steps[at - 1]
    st.progress(at / len(lesson.steps), text=f"Step {at} of {len(lesson.steps)}")
    if at == 1 and lesson.learn:
        st.caption(f"What you will learn: {plain(lesson.learn)}")
    with st.container(key="lesson_text"):
        st.markdown(plain(step.text))
        if texts := others(step):
            st.html(f"<ul class='lesson-texts'>{''.join(f'<li>{html.escape(text)}</li>' for text in texts)}</ul>")


def others(step: LessonStep) -> list[str]:
    """The sentences that a step measures besides the one on top."""
    texts = [step.given.get("other"), step.given.get("short"), *step.given.get("sentences", ())]
    return [text for text in texts if isinstance(text, str)]


def more(step: LessonStep, name: str, at: int, answered: bool) -> None:
    """What a person can do besides: another sentence, the lesson's own view, the page of the view."""
    if step.own:
        own_sentence()
    if library.changed(step):
        st.caption("You have changed what this step shows.")
        st.button("Show the lesson's own view", key="reset_view", on_click=library.go, args=(name, at))
    if answered:
        page = library.SHOWN[step.page]
        label = f"Open this view {'in Labs' if page == library.LABS else f'on the page {page.title}'}"
        st.button(label, key="open_view", icon=page.icon, type="tertiary", on_click=open_page, args=(page.key,))


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
        state.keep_own(typed)


def measured(step: LessonStep) -> Finding | str | None:
    """What is measured at this step, or why nothing can be; None where nothing is asked for."""
    if not step.trial:
        return None
    with st.spinner("Measuring …", show_time=False):
        return questions.finding_of(step)


def say_finding(step: LessonStep, finding: Finding | str | None) -> None:
    """What was measured, in words."""
    if isinstance(finding, str):
        st.warning(plain(finding))
    elif finding is not None:
        finding_view.draw(finding, "lesson", TRIALS[step.trial].claim)


def open_page(key: str) -> None:
    """Go to a page with the view as it is."""
    if key == library.LABS.key:
        library.open_labs()
    state.session().go_to = library.SHOWN[key].key


def ending(lesson: Lesson, name: str) -> None:
    """What was foreseen, and the lesson that comes next."""
    questions_at = [at for at, step in enumerate(lesson.steps, 1) if step.question]
    right = sum(state.session().lesson.right.get((name, at), False) for at in questions_at)
    sentence = f"The end. You foresaw {right} of {len(questions_at)}." if questions_at else "The end."
    st.success(sentence, icon=":material/flag:")
    if after := library.after(name):
        label = f"Next lesson: {library.offered()[after].title}"
        st.button(plain(label), key="next_lesson", type="primary", on_click=library.go, args=(after, 1))
