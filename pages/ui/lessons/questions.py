"""What a step of a lesson asks before it shows, what it measures, and how a guess did."""

from typing import Any

import streamlit as st

from encoder.pictures.labs import TRIALS
from encoder.pictures.labs.head_claims import position_of
from encoder.pictures.labs.trial import Finding, Verdict
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.teach.lessons import guesses
from encoder.teach.lessons.lesson import LessonStep, Question
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.state import session_state as state
from pages.ui.text import plain

REVEAL = "Show what comes out"
VERDICTS = [verdict.value for verdict in Verdict if verdict is not Verdict.UNTRIED]


def predicted(step: LessonStep, question: Question, place: tuple[str, int]) -> bool:
    """Ask what will come out; once the answer was asked for, say it. Returns whether it was."""
    given = state.session().lesson.guesses
    if place not in given:
        with st.container(key="lesson_question"):
            guess = ask(question, place)
        st.button(REVEAL, key="reveal", shortcut="S", on_click=answer, args=(place, guess))
        return False
    outcome = outcome_of(step, question, given[place])
    if outcome is not None:
        state.session().lesson.right[place] = outcome.right
        with st.container(key="lesson_outcome"):
            box = st.success if outcome.right else st.info
            box(plain(outcome.sentence))
    st.button("Guess again", key="again", on_click=ask_again, args=(place,))
    return True


def answer(place: tuple[str, int], guess: int | float | str | None) -> None:
    """Keep a guess; with it, what comes out is shown."""
    state.session().lesson.guesses[place] = guess


def take_guess(place: tuple[str, int]) -> None:
    """A tap is a guess; a slider that is on its way somewhere is none yet."""
    answer(place, state.value("lesson_guess"))


def ask_again(place: tuple[str, int]) -> None:
    """Forget the guess."""
    state.session().lesson.touched = None
    state.session().lesson.guesses.pop(place, None)


def ask(question: Question, place: tuple[str, int]) -> float | None:
    """The widget for a guess; returns what its slider was moved to, for the button that shows what comes out."""
    view, trace = state.current(), session_runs.now()
    if question.kind == "token":
        name = shown(trace.tokens[query_of(question, trace)])
        label = question.ask or f"Where does “{name}” look most in layer {view.layer}, head {view.head}?"
        names = [plain(f"{i} {shown(token)}") for i, token in enumerate(trace.tokens)]
        st.pills(
            plain(label),
            range(len(names)),
            key="lesson_guess",
            format_func=names.__getitem__,
            on_change=take_guess,
            args=(place,),
        )
        return None
    if question.kind == "number":
        middle = (question.low + question.high) / 2
        step = (question.high - question.low) / 100
        tie: dict[str, Any] = {"key": "lesson_guess", "on_change": touch, "args": (place,)}
        number: float = st.slider(plain(question.ask), question.low, question.high, middle, step, **tie)
        return number if state.session().lesson.touched == place else None
    st.pills(plain(question.ask), VERDICTS, key="lesson_guess", on_change=take_guess, args=(place,))
    return None


def promised(question: Question) -> str:
    """What brings what comes out, to say where it will stand."""
    if question.kind == "number":
        return f"What comes out stands here when you have set your guess and pressed “{REVEAL}”."
    return "What comes out stands here as soon as you guess."


def touch(place: tuple[str, int]) -> None:
    """The slider was moved: until then it stands where nobody put it, and that is no guess."""
    state.session().lesson.touched = place


def query_of(question: Question, trace: Trace) -> int:
    """The position of the token that looks; the first word where the sentence does not have it."""
    try:
        return position_of(trace, question.word)
    except EncoderError:
        return min(1, len(trace.tokens) - 1)


def outcome_of(step: LessonStep, question: Question, guess: object) -> guesses.GuessOutcome | None:
    """How the guess did; None where the check cannot be made, which is said elsewhere."""
    view, trace = state.current(), session_runs.now()
    if question.kind == "token":
        marked = guess if isinstance(guess, int) and guess < len(trace.tokens) else None
        return guesses.token(trace, view.layer, view.head, query_of(question, trace), marked)
    finding = finding_of(step)
    if isinstance(finding, str):
        return None
    if question.kind == "number":
        return guesses.number(finding, question.low, question.high, guess if isinstance(guess, float) else None)
    return guesses.verdict(finding, guess if isinstance(guess, str) else None)


def given_to(step: LessonStep, read: Text | None = None) -> dict[str, Any]:
    """What the step's check is given: what the lesson says and, where it makes sense, the sentence on the screen.

    That is `read`, or where it is not given what this session reads.
    """
    given = dict(step.given)
    if "sentence" in TRIALS[step.trial].needed and "sentence" not in given:
        if not step.own:
            given["sentence"] = step.view.get("sentence", View().sentence)
            return given
        read = state.session().read if read is None else read
        given["sentence"] = read if isinstance(read, str) else read[0]
    return given


def finding_of(step: LessonStep) -> Finding | str:
    """What the step's check finds in the model and, where it makes sense, the sentence on the screen; or why not."""
    try:
        return session_runs.finding(step.trial, given_to(step))
    except (EncoderError, KeyError) as error:
        return f"This cannot be measured here: {error.args[0]}."
