"""Mystery models: open one, guess what it computes and which head does it, and have the guess measured."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import percent
from encoder.tasks.mystery import MYSTERIES, Examined, examined
from encoder.tasks.on_digits import ON_DIGITS
from pages.parts.learn import opening
from pages.ui.components.chart import chart
from pages.ui.server import task_models
from pages.ui.state import session_state as state
from pages.ui.text import say, theme

SHOWN = 3  # inputs that are shown with the answers to them
NONE = ""  # where nothing is guessed yet


def draw() -> None:
    """Which one, what is seen of it, the hints, and the guess."""
    st.pills("Mystery", list(MYSTERIES), required=True, **state.choice("mystery", list(MYSTERIES), 1))
    number = state.value("mystery") or 1
    found = examined(number)
    layers, heads = found.harm.shape
    st.markdown(
        f"Mystery {number} is a network of {counted(layers, 'layer')} with {counted(heads, 'head')} each. It reads "
        "eight digits and answers with a digit at every place. **What does it compute, and which head does it?**"
    )
    st.code("\n".join(lines(found)), language=None)
    name = f"{task_models.MYSTERY}{number}"
    st.button("Open it in every page", key="open_mystery", on_click=opening.show, args=(name,))
    hints(number)
    guess(number, found)
    if number in state.session().mystery_guesses:
        answer(number, found, *state.session().mystery_guesses[number])


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


def guess(number: int, found: Examined) -> None:
    """What is guessed, and the button that measures it."""
    layers, heads = found.harm.shape
    places = [NONE, *(f"{layer}.{head}" for layer in range(layers) for head in range(heads))]
    with st.grid("auto", min_column_width=220):
        st.selectbox(
            "What does it compute?",
            [NONE, *ON_DIGITS],
            **state.choice("mystery_task", [NONE, *ON_DIGITS], NONE),
            format_func=lambda key: f"{ON_DIGITS[key].title}: {ON_DIGITS[key].asks}" if key else "Choose a task",
        )
        st.selectbox(
            "Which head does it?", places, **state.choice("mystery_head", places, NONE),
            format_func=lambda at: "layer {}, head {}".format(*at.split(".")) if at else "Choose a head",
        )  # fmt: skip
    chosen = (state.value("mystery_task") or NONE, state.value("mystery_head") or NONE)
    st.button(
        "Check by measuring", type="primary", key="mystery_check", disabled=NONE in chosen,
        on_click=state.session().mystery_guesses.update, args=({number: chosen},),
    )  # fmt: skip


def answer(number: int, found: Examined, task: str, at: str) -> None:
    """What the measurement says of a guess: the answers to held-out inputs, and what breaks without each head."""
    layer, head = map(int, at.split("."))
    share, count = found.agrees(task), len(found.inputs)
    says = f"As “{ON_DIGITS[task].title}” it answers {round(share * count)} of {count} inputs that it never saw."
    if task == found.computes:
        say(f"Yes. {says}")
    else:
        say(f"No. {says}", "It computes something else.")
    names = [f"L{i}H{h}" for i in range(found.harm.shape[0]) for h in range(found.harm.shape[1])]
    title = "answered otherwise without it"
    drawn = token_bars({title: found.harm.ravel()}, names, title=title, theme=theme())
    done = (layer, head) == found.layer_and_head
    fact = (
        f"{'Yes' if done else 'No'}. With layer {layer}, head {head} set to zero it answers "
        f"{percent(float(found.harm[layer, head]))} of the inputs otherwise."
    )
    others = [float(one) for i, one in enumerate(found.harm.ravel()) if i != layer * found.harm.shape[1] + head]
    more = f"Without any other head it is {percent(max(others))} at most." if others else ""
    about = About(source=task_models.source(number), scope=f"{count} inputs that it never saw")
    chart(drawn, "mystery_harm", fact, about, numbers=True)
    say(fact, more)
    if done and task == found.computes:
        st.markdown("Now open it, choose that head on Attention, and see it do so.")
