"""Plays a lesson: text, prediction, what really comes out, and the picture of that view."""

import streamlit as st

from encoder import guesses
from encoder.figures.theme import shown
from encoder.lesson import Lesson, LessonStep, Question
from encoder.steps import Step
from encoder.trace import Trace
from encoder.trials import Finding, Verdict, claim, position_of, takes
from pages.ui import findings, lesson_book, session, state, step_panel, token_strip
from pages.ui.text import plain
from pages.ui.walk import stops_of

STYLE = """<style>
.st-key-lesson_text p { font-size: 1.6rem; line-height: 1.35; max-width: 60ch; }
.st-key-lesson_outcome p, .st-key-lesson_verdict p { font-size: 1.25rem; max-width: 75ch; }
.st-key-lesson_question label p { font-size: 1.25rem; }
</style>"""
VERDICTS = [verdict.value for verdict in Verdict if verdict is not Verdict.UNTRIED]


def draw(lesson: Lesson) -> None:
    """The step of the lesson that the view names."""
    view, count = state.current(), len(lesson.steps)
    at = min(max(view.at, 1), count)
    step = lesson.steps[at - 1]
    if at != view.at or arrives_by_link(step):
        lesson_book.go(view.lesson, at)
        del st.session_state["go_to"]  # this is the page
        state.write_url()
        st.rerun()
    st.html(STYLE)
    head(lesson, view.lesson, at)
    with st.container(key="lesson_text"):
        st.markdown(plain(step.text))
    if step.own:
        own_sentence()
    if lesson_book.changed(step):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("You have changed what this step shows.", width="content")
            st.button("Show the lesson's own view", key="reset_view", on_click=lesson_book.go, args=(view.lesson, at))
    place = (view.lesson, at)
    if step.question is None or predicted(step, step.question, place):
        show(step)
    if at == count:
        st.success(ending(lesson, view.lesson), icon=":material/flag:")


def arrives_by_link(step: LessonStep) -> bool:
    """Whether the link named nothing but lesson and step, so that the step's own view is meant."""
    view = state.current()
    first = st.session_state.get("entered") != (view.lesson, view.at)
    return first and view == state.View(lesson=view.lesson, at=view.at) and lesson_book.changed(step)


def head(lesson: Lesson, name: str, at: int) -> None:
    """Title, way and progress."""
    count = len(lesson.steps)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_head"):
        st.subheader(plain(lesson.title), width="content")
        st.button("Previous", key="lesson_previous", shortcut="Left", disabled=at == 1,
                  on_click=lesson_book.go, args=(name, at - 1))  # fmt: skip
        st.button("Next", key="lesson_next", shortcut="Right", type="primary", disabled=at == count,
                  on_click=lesson_book.go, args=(name, at + 1))  # fmt: skip
        st.button("All lessons", key="leave_lesson", on_click=lesson_book.leave)
    st.progress(at / count, text=f"Step {at} of {count}")
    if at == 1:
        st.caption(f"What you will learn: {plain(lesson.learn)}")


def own_sentence() -> None:
    """Let a person try the step on another sentence."""
    view = state.current()
    st.session_state["own_sentence"] = view.sentence
    st.text_input(
        "Try it on your own sentence",
        key="own_sentence",
        max_chars=600,
        on_change=take_sentence,
        icon=":material/edit:",
    )


def take_sentence() -> None:
    """Show the step on the sentence that was typed."""
    if st.session_state["own_sentence"].strip():
        state.change(sentence=st.session_state["own_sentence"], cell="", hidden=())


def predicted(step: LessonStep, question: Question, place: tuple[str, int]) -> bool:
    """Ask what will come out; once the answer was asked for, say it. Returns whether it was."""
    given = st.session_state.setdefault("guesses", {})
    if place not in given:
        with st.container(key="lesson_question"):
            guess = ask(question)
        st.button("Show what comes out", key="reveal", shortcut="S", on_click=given.__setitem__, args=(place, guess))
        return False
    outcome = outcome_of(step, question, given[place])
    if outcome is not None:
        st.session_state.setdefault("right", {})[place] = outcome.right
        with st.container(key="lesson_outcome"):
            box = st.success if outcome.right else st.info
            box(plain(outcome.sentence))
    st.button("Guess again", key="again", on_click=given.pop, args=(place,))
    return True


def ask(question: Question) -> int | float | str | None:
    """The widget for a guess."""
    view, trace = state.current(), session.now()
    if question.kind == "token":
        name = shown(trace.tokens[query_of(question, trace)])
        label = question.ask or f"Where does “{name}” look most in layer {view.layer}, head {view.head}?"
        names = [plain(f"{i} {shown(token)}") for i, token in enumerate(trace.tokens)]
        marked: int | None = st.pills(plain(label), range(len(names)), key="guess", format_func=names.__getitem__)
        return marked
    if question.kind == "number":
        middle = (question.low + question.high) / 2
        step = (question.high - question.low) / 100
        number: float = st.slider(plain(question.ask), question.low, question.high, middle, step, key="guess")
        return number
    said: str | None = st.pills(plain(question.ask), VERDICTS, key="guess")
    return said


def query_of(question: Question, trace: Trace) -> int:
    """The position of the token that looks; the first word where the sentence does not have it."""
    try:
        return position_of(trace, question.word)
    except ValueError:
        return min(1, len(trace.tokens) - 1)


def outcome_of(step: LessonStep, question: Question, guess: object) -> guesses.Outcome | None:
    """How the guess did; None where the check cannot be made, which is said elsewhere."""
    view, trace = state.current(), session.now()
    if question.kind == "token":
        marked = guess if isinstance(guess, int) and guess < len(trace.tokens) else None
        return guesses.token(trace, view.layer, view.head, query_of(question, trace), marked)
    found = finding_of(step)
    if isinstance(found, str):
        return None
    if question.kind == "number":
        return guesses.number(found, question.low, question.high, guess if isinstance(guess, float) else None)
    return guesses.verdict(found, guess if isinstance(guess, str) else None)


def finding_of(step: LessonStep) -> Finding | str:
    """What the step's check finds in the model and, where it makes sense, the sentence on the screen; or why not."""
    given = dict(step.given)
    if "sentence" in takes(step.trial) and "sentence" not in given:
        own = lesson_book.view_of(step, "", 1).sentence
        read = st.session_state["read"]
        given["sentence"] = (read if isinstance(read, str) else read[0]) if step.own else own
    try:
        return session.finding(step.trial, given)
    except (ValueError, KeyError) as error:
        return f"This cannot be measured here: {error.args[0]}."


def show(step: LessonStep) -> None:
    """What is measured at this step, and the picture of its view."""
    if step.trial:
        with st.spinner("Measuring …", show_time=False):
            found = finding_of(step)
        if isinstance(found, str):
            st.warning(plain(found))
        else:
            findings.draw(found, "lesson", claim(step.trial))
    page, view, trace = lesson_book.SHOWN[step.page], state.current(), session.now()
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
        step_panel.show(trace, drawn, view.head)


def open_page(key: str) -> None:
    """Go to a page with the view as it is."""
    st.session_state["go_to"] = lesson_book.SHOWN[key].script


def ending(lesson: Lesson, name: str) -> str:
    """What to say at the end."""
    asked = [at for at, step in enumerate(lesson.steps, 1) if step.question]
    right = sum(st.session_state.get("right", {}).get((name, at), False) for at in asked)
    return f"The end. You foresaw {right} of {len(asked)}." if asked else "The end."
