"""Makes a lesson: collect views while walking through the app, edit the texts, save, open and share."""

from dataclasses import replace

import streamlit as st

from encoder.teach.lessons.foreign import pack, read
from encoder.teach.lessons.lesson import (
    LEVELS,
    LONGEST,
    LONGEST_TIME,
    MOST_BYTES,
    Lesson,
    LessonError,
    LessonStep,
    Question,
    as_data,
    from_data,
    write,
)
from encoder.teach.trials import TRIALS
from pages.ui.components import share
from pages.ui.downloads.keep import save
from pages.ui.lessons import draft as lesson_draft
from pages.ui.lessons import library
from pages.ui.state import session_state as state
from pages.ui.text import plain

NOTHING, TOKEN, VERDICT, NUMBER = "nothing", "where a word looks", "whether the claim holds", "the number"
# Trials that need no more than the sentence of the view.
SIMPLE = [name for name, trial in TRIALS.items() if {p for p, needed in trial.needed.items() if needed} <= {"sentence"}]


def draw() -> None:
    """The whole workbench."""
    st.markdown(
        "Switch collecting on and walk through the app: the bar above every page then has a button that adds what you "
        "see. Come back here to write the texts, to save the lesson as a file, or to share it as a link."
    )
    here = state.session()
    state.show(draft_switch=here.draft.collecting)
    st.toggle("Collect views", key="draft_switch", on_change=switch)
    given = st.file_uploader("Open a lesson file", type=["toml"], key="lesson_file", on_change=open_file)
    if given is None:
        here.draft.problems = []
    for problem in here.draft.problems:
        st.error(plain(problem))
    lesson = fields()
    for number, step in enumerate(lesson.steps):
        lesson = replace(lesson, steps=(*lesson.steps[:number], step_form(number, step), *lesson.steps[number + 1 :]))
    here.draft.lesson = lesson
    lesson_draft.draw_store()
    if not lesson.steps:
        st.caption("No step yet.")
        return
    finish(lesson)


def switch() -> None:
    """Switch collecting on or off."""
    state.session().draft.collecting = state.value("draft_switch")


def open_file() -> None:
    """Read the file that was given, and say what is wrong with it."""
    given = state.value("lesson_file")
    problems: list[str] = []
    if given is not None:
        try:
            if given.size > MOST_BYTES:
                raise LessonError([f"{given.name}: it has {given.size:,} bytes; a lesson has at most {MOST_BYTES:,}"])
            text = given.getvalue().decode("utf-8")
            lesson_draft.put(library.fitting(read(text, given.name), given.name))
        except LessonError as error:
            problems = error.problems
        except UnicodeDecodeError:
            problems = [f"{given.name}: it is no text in UTF-8"]
    state.session().draft.problems = problems


def field(label: str, name: str, value: str, key: str, tall: bool = False, wanted: str = "") -> str:
    """A text of the lesson, with the length it may have; `wanted` says in an empty field what belongs there."""
    kind = st.text_area if tall else st.text_input
    turn = state.session().draft.round
    written: str = kind(label, value, key=f"{key}_{turn}", max_chars=LONGEST[name], placeholder=wanted)
    return written


def fields() -> Lesson:
    """Title, what one will learn, for whom it is and how long it takes."""
    lesson, turn = lesson_draft.draft(), state.session().draft.round
    title = field("Title", "title", lesson.title, "draft_title", wanted="What the lesson is called")
    learn = field("What one will learn", "learn", lesson.learn, "draft_learn", wanted="One sentence, on the first step")
    offered = ["", *LEVELS]
    with st.container(horizontal=True):
        at, key = offered.index(lesson.level), f"draft_level_{turn}"
        level = st.selectbox("Level", offered, at, lambda name: name or "not said", key=key, width=200)
        minutes = st.number_input(
            "Minutes, about; 0 says nothing", 0, LONGEST_TIME, lesson.minutes, 1, key=f"draft_minutes_{turn}", width=240
        )
    return replace(lesson, title=title, learn=learn, level=level, minutes=minutes)


def step_form(number: int, step: LessonStep) -> LessonStep:
    """One step: its page, its text, and the way to move it or take it away."""
    with st.container(border=True):
        page = library.SHOWN[step.page]
        what = [page.title, *(f"{name} {value}" for name, value in step.view.items())]
        what += [f"check {step.trial}"] if step.trial else []
        what += [f"question: {step.question.kind}"] if step.question else []
        st.caption(plain(f"{number + 1}. {' · '.join(what)}"))
        text = field("Text", "text", step.text, f"draft_text_{number}", tall=True)
        with st.container(horizontal=True):
            st.button(
                "Move up", key=f"draft_up_{number}", disabled=number == 0, on_click=lesson_draft.move, args=(number,)
            )
            st.button("Remove", key=f"draft_remove_{number}", on_click=lesson_draft.remove, args=(number,))
        return asked(number, measured(number, replace(step, text=text)))


def measured(number: int, step: LessonStep) -> LessonStep:
    """Let the person choose what is measured; only trials that need no more than a sentence are offered here."""
    turn = state.session().draft.round
    offered = ["", *([step.trial] if step.trial else []), *(name for name in SIMPLE if name != step.trial)]
    at, key = int(bool(step.trial)), f"draft_check_{number}_{turn}"
    chosen = st.selectbox(
        "What is measured", offered, at, lambda name: TRIALS[name].claim if name else "nothing", key=key
    )
    own = st.checkbox("It makes sense on any sentence", step.own, key=f"draft_own_{number}_{turn}")
    return replace(step, own=own, trial=chosen, given=step.given if chosen == step.trial else {})


def asked(number: int, step: LessonStep) -> LessonStep:
    """Let the person choose what is to be predicted first; a question from a file is kept as it is."""
    question = step.question
    kinds = [NOTHING, TOKEN, *([VERDICT] if step.trial else [])]
    was = kinds.index({"token": TOKEN, "verdict": VERDICT}.get(question.kind, NOTHING)) if question else 0
    if question and question.kind == "number" and step.trial:
        kinds, was = [*kinds, NUMBER], len(kinds)
    turn = state.session().draft.round
    kind = st.selectbox(
        "What is to be predicted first", kinds, index=was, key=f"draft_ask_{number}_{turn}_{len(kinds)}"
    )
    if kind == TOKEN:
        word = field("The word that looks", "word", question.word if question else "", f"draft_word_{number}")
        return replace(step, question=Question("token", question.ask if question else "", word))
    if kind == VERDICT:
        usual = f"“{TRIALS[step.trial].claim}” Does that hold?"
        return replace(step, question=Question("verdict", question.ask if question and question.ask else usual))
    return replace(step, question=question if kind == NUMBER else None)


def finish(lesson: Lesson) -> None:
    """Play, save and share the lesson, if it is one."""
    try:
        library.fitting(from_data(as_data(lesson), "your lesson"), "your lesson")
    except LessonError as error:
        st.warning(plain("  \n".join(error.problems)))
        return
    with st.container(horizontal=True):
        st.button("Play it", key="draft_play", type="primary", on_click=play, args=(lesson,))
        save("Save as a file", "draft_save", "lesson.toml", lambda: write(lesson).encode(), "application/toml")
    packed = pack(lesson)
    if packed is None:
        st.caption("The lesson is too long for a link: share the file.")
    else:
        st.markdown("Share it as a link: all of the lesson is in it.")
        share.draw(library.link(packed))


def play(lesson: Lesson) -> None:
    """Show the lesson from its first step."""
    library.go(library.keep(lesson), 1)
