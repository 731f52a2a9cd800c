"""Mystery models: open one, guess what it computes and which head does it, and have the guess measured."""

import streamlit as st

from encoder.pictures.registry.learning import MYSTERY, MYSTERY_HARM
from encoder.tasks.mystery import MYSTERIES, Examined, examined
from encoder.tasks.on_digits import ON_DIGITS
from pages.learn import mystery_guess, opening
from pages.ui.picture import ask, tie
from pages.ui.server import task_models
from pages.ui.state import session_state as state

SHOWN = 3  # inputs that are shown with the answers to them


def draw() -> None:
    """Which one, what is seen of it, the hints, and the guess."""
    st.pills("Mystery", list(MYSTERIES), required=True, **tie(MYSTERY, ask(MYSTERY_HARM)))
    number = ask(MYSTERY_HARM)[MYSTERY]
    found = examined(number)
    layers, heads = found.harm.shape
    each = " each" if layers > 1 else ""
    st.markdown(
        f"Mystery {number} is a network of {counted(layers, 'layer')} with {counted(heads, 'head')}{each}. It reads "
        "eight digits and answers with a digit at every place. **What does it compute, and which head does it?**"
    )
    st.code("\n".join(lines(found)), language=None)
    name = f"{task_models.MYSTERY}{number}"
    st.button("Open it in every page", key="open_mystery", on_click=opening.show, args=(name,))
    hints(number)
    mystery_guess.guess(number, found)
    if number in state.session().mystery_guesses:
        mystery_guess.answer(found, *state.session().mystery_guesses[number])


def counted(count: int, name: str) -> str:
    """So many of them, in words."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def lines(found: Examined) -> list[str]:
    """Inputs that it never saw, and what it said to them."""
    signs = (*"?????", *ON_DIGITS["own"].vocabulary)
    spelled = [
        tuple(" ".join(signs[i + 5] for i in row.tolist()) for row in rows[:SHOWN])
        for rows in (found.inputs, found.said)
    ]
    return [f"reads   {given}\nanswers {said}\n" for given, said in zip(*spelled, strict=True)]


def hints(number: int) -> None:
    """The hints that were asked for, and the way to the next."""
    seen = state.session().hints_seen.get(number, 0)
    every = MYSTERIES[number].hints
    for i, hint in enumerate(every[:seen]):
        st.markdown(f"Hint {i + 1}: {hint}")
    if seen < len(every):
        more = f"Show a hint ({seen + 1} of {len(every)})"
        st.button(more, key="mystery_hint", on_click=state.session().hints_seen.update, args=({number: seen + 1},))
