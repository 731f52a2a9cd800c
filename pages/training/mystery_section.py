"""A small network whose task is hidden: guess what it computes and which head does it, and have that measured."""

from typing import Any

import streamlit as st

from encoder.pictures.picture import Answer
from encoder.pictures.registry.mystery_picture import MYSTERY, MYSTERY_HARM
from encoder.support.formatting import percent
from encoder.tasks.mystery import MYSTERIES, Examined, examined
from encoder.tasks.on_digits import ON_DIGITS
from pages.ui.components import learning_component
from pages.ui.frame import page_run
from pages.ui.frame.page_header import page_header
from pages.ui.picture_view import answer_of, ask, tie
from pages.ui.server import task_models
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import plain, say

HOW = (
    "This network has learned one of {tasks} tasks on rows of digits. Read what it answers, and look where its heads "
    "look: the pattern of the task that you guess comes up under Wanted. *Check by measuring* tells whether you are "
    "right: it counts the answers, and switches off each head in turn."
)
NONE = ""  # where nothing is guessed yet
SEVERAL = "several"


def draw(above: Any, choices: Any, ways: Any) -> None:
    """Which one and the way into it, the question `above`; its picture, the guess with hints, and what is measured."""
    with choices:
        st.pills(
            "Mystery",
            list(MYSTERIES),
            required=True,
            label_visibility="collapsed",
            format_func=lambda number: f"{number} ✓" if is_solved(number) else str(number),
            **tie(MYSTERY, ask(MYSTERY_HARM)),
        )
    number = ask(MYSTERY_HARM)[MYSTERY]
    mystery, checked = examined(number), state.session().mystery.guesses.get(number)
    layers, heads = mystery.harm.shape
    begin(number)
    if not checked:
        st.markdown(HOW.format(tasks=len(ON_DIGITS)))
    guess = ask_guess(number, layers, heads)
    with above:
        page_header(*headline(number, mystery, checked))
    if checked:
        show_answer(mystery, *checked)
    hints(number)
    learning_component.draw_hidden(number, mystery, guess, is_solved(number))
    draw_way(ways, f"{task_models.MYSTERY}{number}", "open_mystery")


def begin(number: int) -> None:
    """Guess nothing yet of a network that was chosen just now."""
    here = state.session().mystery
    if here.number not in (None, number):
        for name in ("mystery_task", "mystery_head"):
            state.remember(name, None, None)
    here.number = number


def is_solved(number: int) -> bool:
    """Whether a network was found out in this session."""
    guess = state.session().mystery.guesses.get(number)
    return guess is not None and is_right(examined(number), *guess)


def draw_way(ways: Any, name: str, key: str) -> None:
    """The way into a network."""
    ways.button("Step into this network →", type="tertiary", key=key, on_click=go_to_model, args=(name,))


def headline(number: int, mystery: Examined, checked: tuple[str, str] | None) -> tuple[str, str, dict[str, Answer]]:
    """What it is, where it was found out, else what is asked; and what Save has of it once it was measured."""
    if checked and is_right(mystery, *checked):
        saved = {"Without one head": answer_of(MYSTERY_HARM)}
        does = spelled(checked[1])
        return plain(f"Network {number} computes “{ON_DIGITS[mystery.computes].title}”, and {does} does it."), "", saved
    return f"Network {number}: what does it compute, and which head does it?", "", {}


def is_right(mystery: Examined, task: str, at: str) -> bool:
    """Whether a guess names both the task and the head."""
    return task == mystery.computes and does(mystery, at)


def does(mystery: Examined, at: str) -> bool:
    """Whether a guess names the head that does it, or that several do."""
    return at == SEVERAL if len(mystery.needed) > 1 else at == "{}.{}".format(*mystery.needed[0])


def hints(number: int) -> None:
    """The hints that were asked for."""
    seen = MYSTERIES[number].hints[: state.session().mystery.hints_seen.get(number, 0)]
    st.markdown(" ".join(f"**Hint {i + 1}:** {hint}" for i, hint in enumerate(seen)))


def ask_hint(number: int) -> None:
    """The way to the next hint."""
    seen, most = state.session().mystery.hints_seen.get(number, 0), len(MYSTERIES[number].hints)
    if seen < most:
        more = f"Show a hint ({seen + 1} of {most})"
        update = state.session().mystery.hints_seen.update
        st.button(more, key="mystery_hint", on_click=update, args=({number: seen + 1},))


def ask_guess(number: int, layers: int, heads: int) -> str:
    """What is guessed, and the button that measures it; returns the task that is guessed."""
    places = [NONE, *(f"{layer}.{head}" for layer in range(layers) for head in range(heads)), SEVERAL]
    with st.container(horizontal=True, vertical_alignment="bottom", key="guess_row"):
        st.selectbox(
            "What does it compute?",
            [NONE, *ON_DIGITS],
            **state.choice("mystery_task", [NONE, *ON_DIGITS], NONE),
            format_func=lambda key: f"{ON_DIGITS[key].title}: {ON_DIGITS[key].asks}" if key else "Choose a task",
            width=420,
        )
        st.selectbox(
            "Which head does it?",
            places,
            **state.choice("mystery_head", places, NONE),
            format_func=spelled,
            width=240,
        )
        chosen = (state.value("mystery_task") or NONE, state.value("mystery_head") or NONE)
        st.button(
            "Check by measuring",
            type="primary",
            key="mystery_check",
            disabled=NONE in chosen,
            on_click=state.session().mystery.guesses.update,
            args=({number: chosen},),
        )
        ask_hint(number)
    return chosen[0]


def spelled(at: str) -> str:
    """A head as it is guessed, in words."""
    layer, _, head = at.partition(".")
    return f"head {head} of layer {layer}" if head else "several heads together" if at else "Choose a head"


def show_answer(mystery: Examined, task: str, at: str) -> None:
    """What the measurement says of a guess: the answers to held-out inputs, and what breaks without each head."""
    share, count = mystery.agrees(task), len(mystery.inputs)
    verdict = f"The task is {'right' if task == mystery.computes else 'wrong'}: “{ON_DIGITS[task].title}” fits "
    verdict += f"{round(share * count)} of {count} inputs that it never saw."
    by = f"The head is {'right' if does(mystery, at) else 'wrong'}: {spelled(at)}."
    harm = plain(answer_of(MYSTERY_HARM).sentence) if does(mystery, at) else without(mystery, at)
    on = " Now step into it, choose the head on Attention, and see it do so." if is_right(mystery, task, at) else ""
    say(f"{verdict} {by}", f"{harm}{on}")


def without(mystery: Examined, at: str) -> str:
    """What breaks without the head that was guessed, and nothing of the others."""
    if at == SEVERAL:
        return ""
    layer, head = map(int, at.split("."))
    return f"Without your head {percent(float(mystery.harm[layer, head]))} of the answers change."


def go_to_model(name: str) -> None:
    """Go to the attention of a model on an input of its task."""
    page_run.show_model(name)
    state.change(sentence=task_models.examples(name)[0], second="", hidden=(), edits=())
    state.session().go_to = page_of("attention").key
