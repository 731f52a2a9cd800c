"""The guess about a mystery model, and what the measurement says of it."""

import streamlit as st

from encoder.pictures.registry.learning import MYSTERY_HARM
from encoder.tasks.mystery import Examined
from encoder.tasks.on_digits import ON_DIGITS
from pages.ui.picture import show
from pages.ui.state import session_state as state
from pages.ui.text import say

NONE = ""  # where nothing is guessed yet
SEVERAL = "several"


def guess(number: int, found: Examined) -> None:
    """What is guessed, and the button that measures it."""
    layers, heads = found.harm.shape
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
        on_click=state.session().mystery_guesses.update,
        args=({number: chosen},),
    )


def spelled(at: str) -> str:
    """A head as it is guessed, in words."""
    layer, _, head = at.partition(".")
    return f"layer {layer}, head {head}" if head else "several heads together" if at else "Choose a head"


def answer(found: Examined, task: str, at: str) -> None:
    """What the measurement says of a guess: the answers to held-out inputs, and what breaks without each head."""
    share, count = found.agrees(task), len(found.inputs)
    right = task == found.computes
    fact = f"It answers {round(share * count)} of {count} inputs that it never saw as “{ON_DIGITS[task].title}” asks."
    say(f"{'Yes' if right else 'No'}. {fact}", "" if right else "It computes something else.")
    does = at == SEVERAL if len(found.needed) > 1 else at == "{}.{}".format(*found.needed[0])
    say(f"{'Yes' if does else 'No'}. You said: {spelled(at)}.")
    show(MYSTERY_HARM)
    if right and does:
        st.markdown("Now open it, choose the head on Attention, and see it do so.")
