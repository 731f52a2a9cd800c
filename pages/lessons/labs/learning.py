"""What each part of a block does for learning: small models trained without it, now."""

import streamlit as st

from encoder.experiments import KINDS, LearningCurves, learning_curves
from encoder.experiments.learning import CHANCE, NARROW, ROWS, STEPS
from encoder.pictures.registry.labs_training import (
    DEPTHS,
    LAYERS,
    LEARNING_ONE,
    LEARNING_THREE,
    LEARNING_TWO,
    WARM_UP,
    WARM_UPS,
    learning,
)
from encoder.support.formatting import brief, listed, percent
from pages.ui.picture import ask, show, tie
from pages.ui.step import sweep
from pages.ui.text import say

LEARNED = 0.9 * CHANCE  # a loss that says that more than the answers' frequencies was learned


def draw() -> None:
    """Train every kind on demand, then how the loss of each falls."""
    st.markdown(
        f"The same small model, trained {len(KINDS)} times on the same inputs: as in the paper, in pre-norm, without "
        f"one part each time, and with a feed-forward of {NARROW} numbers in place of 64. It learns to say how often "
        f"its letter stands in the row; {STEPS} steps of {ROWS} rows."
    )
    scene = ask(LEARNING_ONE)
    with st.container(horizontal=True):
        st.pills("Layers", DEPTHS, required=True, **tie(LAYERS, scene))
        st.pills("Warm-up", list(WARM_UPS), required=True, **tie(WARM_UP, scene))
    scene = ask(LEARNING_ONE)
    layers, steps = scene[LAYERS], WARM_UPS[scene[WARM_UP]]
    curves: LearningCurves | None = sweep.follow(
        "learning", (layers, steps), lambda: learning_curves(layers, steps), "Train all", unit="models"
    )
    if curves is not None:
        known = {learning(scene, kind): curve for kind, curve in curves.curves.items()}
        show(LEARNING_ONE, known=known)
        show(LEARNING_TWO, known=known)
        show(LEARNING_THREE, known=known)
        who_learned(curves)


def who_learned(curves: LearningCurves) -> None:
    """Who came clearly below who only knows frequencies, and how many answers are right."""
    learned = [kind for kind in KINDS if float(curves.curves[kind].loss[-1]) < LEARNED]
    right = [f"{kind} {percent(float(curves.curves[kind].right[-1]))}" for kind in KINDS]
    say(
        f"Who only knows how frequent each answer is has a loss of {brief(CHANCE)}. Clearly below that "
        f"{f'come {listed(learned)}' if learned else 'comes none'}. Answers right in the end: {listed(right)}.",
        "One seed is one try: others can end in another order. Larger models are trained for longer, with their rate "
        "chosen for each kind; here all have the same.",
    )
