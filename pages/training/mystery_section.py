"""Mystery models: open one, guess what it computes and which head does it, and have the guess measured."""

import streamlit as st

from encoder.pictures.registry.mystery_picture import MYSTERY, MYSTERY_HARM
from encoder.tasks.mystery import MYSTERIES, Examined, examined
from encoder.tasks.on_digits import ON_DIGITS
from pages.training import task_section
from pages.ui.picture_view import ask, show, tie
from pages.ui.server import task_models
from pages.ui.state import session_state as state
from pages.ui.text import heading, say

SHOWN = 3  # inputs that are shown with the answers to them


def draw() -> None:
    """Which one, what is seen of it, the hints, and the guess."""
    st.pills("Mystery", list(MYSTERIES), required=True, **tie(MYSTERY, ask(MYSTERY_HARM)))
    number = ask(MYSTERY_HARM)[MYSTERY]
    mystery = examined(number)
    layers, heads = mystery.harm.shape
    each = " each" if layers > 1 else ""
    heading(f"Mystery {number}: what does it compute, and which head does it?")
    st.markdown(
        f"A network of {counted(layers, 'layer')} with {counted(heads, 'head')}{each}. It reads eight digits and "
        "answers with a digit at every place."
    )
    st.code("\n".join(lines(mystery)), language=None)
    name = f"{task_models.MYSTERY}{number}"
    st.button("Open it in every page", key="open_mystery", on_click=task_section.go_to_model, args=(name,))
    hints(number)
    ask_guess(number, mystery)
    if number in state.session().mystery.guesses:
        show_answer(mystery, *state.session().mystery.guesses[number])


def counted(count: int, name: str) -> str:
    """So many of them, in words."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def lines(mystery: Examined) -> list[str]:
    """Inputs that it never saw, and what it said to them."""
    signs = (*"?????", *ON_DIGITS["own"].vocabulary)
    spelled = [
        tuple(" ".join(signs[i + 5] for i in row.tolist()) for row in rows[:SHOWN])
        for rows in (mystery.inputs, mystery.answers)
    ]
    return [f"reads   {given}\nanswers {answers}\n" for given, answers in zip(*spelled, strict=True)]


def hints(number: int) -> None:
    """The hints that were asked for, and the way to the next."""
    seen = state.session().mystery.hints_seen.get(number, 0)
    every = MYSTERIES[number].hints
    for i, hint in enumerate(every[:seen]):
        st.markdown(f"Hint {i + 1}: {hint}")
    if seen < len(every):
        more = f"Show a hint ({seen + 1} of {len(every)})"
        st.button(
            more, key="mystery_hint", on_click=state.session().mystery.hints_seen.update, args=({number: seen + 1},)
        )


NONE = ""  # where nothing is guessed yet
SEVERAL = "several"


def ask_guess(number: int, mystery: Examined) -> None:
    """What is guessed, and the button that measures it."""
    layers, heads = mystery.harm.shape
    places = [NONE, *(f"{layer}.{head}" for layer in range(layers) for head in range(heads)), SEVERAL]
    with st.container(width=520):
        st.selectbox(
            "What does it compute?",
            [NONE, *ON_DIGITS],
            **state.choice("mystery_task", [NONE, *ON_DIGITS], NONE),
            format_func=lambda key: f"{ON_DIGITS[key].title}: {ON_DIGITS[key].asks}" if key else "Choose a task",
        )
        st.selectbox(
            "Which head does it?",
            places,
            **state.choice("mystery_head", places, NONE),
            format_func=spelled,
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


def spelled(at: str) -> str:
    """A head as it is guessed, in words."""
    layer, _, head = at.partition(".")
    return f"layer {layer}, head {head}" if head else "several heads together" if at else "Choose a head"


def show_answer(mystery: Examined, task: str, at: str) -> None:
    """What the measurement says of a guess: the answers to held-out inputs, and what breaks without each head."""
    share, count = mystery.agrees(task), len(mystery.inputs)
    right = task == mystery.computes
    fact = f"It answers {round(share * count)} of {count} inputs that it never saw as “{ON_DIGITS[task].title}” asks."
    say(f"{'Yes' if right else 'No'}. {fact}", "" if right else "It computes something else.")
    does = at == SEVERAL if len(mystery.needed) > 1 else at == "{}.{}".format(*mystery.needed[0])
    say(f"{'Yes' if does else 'No'}. You said: {spelled(at)}.")
    show(MYSTERY_HARM)
    if right and does:
        st.markdown("Now open it, choose the head on Attention, and see it do so.")
