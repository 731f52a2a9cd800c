"""What is to be learned, by which model, at which rate: all of it part of the link."""

from typing import Any

import streamlit as st

from encoder.tasks.settings import CHOOSABLE, MOST_SEED, LearnSettings, usual
from encoder.tasks.task import TASKS
from pages.ui.state import session_state as state

POSITIONS = {
    "sinusoidal": "sines and cosines",
    "learned": "learned",
    "rotary": "rotary: queries and keys are turned",
    "none": "none: it cannot tell places apart",
}
NORMS = {False: "after adding (post-norm)", True: "before (pre-norm)"}


def draw() -> LearnSettings:
    """The task, and a fold with the model and its training; returns what was chosen."""
    tie = state.choice("learn_task", list(TASKS), "reverse")
    st.pills("Task", list(TASKS), required=True, format_func=lambda key: TASKS[key].title, **tie)
    plain = usual(state.value("learn_task") or "reverse")
    task = plain.about
    st.markdown(f"**{task.asks}** The known pattern: {task.pattern}.")
    with st.expander("The model and its training"), st.grid("auto", min_column_width=170):
        return LearnSettings(plain.task, **shape(plain), **training(plain))


def shape(plain: LearnSettings) -> dict[str, Any]:
    """The shape of the model; what is usual for the task is chosen at first."""
    options = CHOOSABLE
    return {
        "layers": st.selectbox(
            "Layers", options["layers"], **state.choice("learn_layers", options["layers"], plain.layers)
        ),
        "heads": st.selectbox("Heads", options["heads"], **state.choice("learn_heads", options["heads"], plain.heads)),
        "width": st.selectbox("Width", options["width"], **state.choice("learn_width", options["width"], plain.width)),
        "positions": st.selectbox(
            "Positions",
            options["positions"],
            format_func=lambda name: POSITIONS[str(name)],
            **state.choice("learn_positions", options["positions"], plain.positions),
        ),
        "norm_first": st.selectbox(
            "Place of the norm",
            options["norm_first"],
            format_func=lambda first: NORMS[bool(first)],
            **state.choice("learn_norm", options["norm_first"], plain.norm_first),
        ),
    }


def training(plain: LearnSettings) -> dict[str, Any]:
    """The rate, the steps, and the seed of the first weights and of the inputs."""
    rates, steps, seeds = CHOOSABLE["rate"], CHOOSABLE["steps"], range(MOST_SEED + 1)
    return {
        "rate": st.selectbox("Rate", rates, **state.choice("learn_rate", rates, plain.rate)),
        "steps": st.selectbox("Steps", steps, **state.choice("learn_steps", steps, plain.steps)),
        "seed": st.selectbox("Seed", seeds, **state.choice("learn_seed", seeds, plain.seed)),
    }
