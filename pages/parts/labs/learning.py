"""What each part of a block does for learning: small models trained without it, now."""

import numpy as np
import streamlit as st

from encoder.experiments import KINDS, LearningCurves, learning_curves
from encoder.experiments.learning import CHANCE, ROWS, STEPS
from encoder.export.caption import About
from encoder.figures.charts import lines
from encoder.formatting import brief, listed, percent
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import say, theme

LAYERS = (2, 6)
WARM_UPS = {"none": 1, "half of the steps": STEPS // 2}
IN_ONE = 4  # lines in a picture
LEARNED = 0.9 * CHANCE  # a loss that says that more than the answers' frequencies was learned


def draw() -> None:
    """Train every kind on demand, then how the loss of each falls."""
    st.markdown(
        "The same small model, trained six times on the same inputs: as in the paper, in pre-norm, and without one "
        f"part each time. It learns to say how often its letter stands in the row; {STEPS} steps of {ROWS} rows."
    )
    with st.container(horizontal=True):
        layers = st.pills("Layers", LAYERS, required=True, **state.choice("missing_layers", LAYERS, LAYERS[0]))
        tie = state.choice("missing_warm_up", WARM_UPS, "none")
        warm_up = st.pills("Warm-up", list(WARM_UPS), required=True, **tie)
    steps = WARM_UPS[warm_up]
    found = sweep.follow(
        "learning", (layers, steps), lambda: learning_curves(layers, steps), "Train all six", unit="models"
    )
    if found is not None:
        drawn(found, f"layers={layers}, warm_up={steps}", f"{layers} layers, warm-up {warm_up}")


def drawn(found: LearningCurves, asked: str, scope: str) -> None:
    """Both pictures, post-norm in each, and who learned."""
    post, *others = KINDS
    for key, kinds in (("learning_one", others[: IN_ONE - 1]), ("learning_two", others[IN_ONE - 1 :])):
        shown = [post, *kinds]
        series = {kind: found.curves[kind].loss.numpy() for kind in shown}
        x = np.array(found.curves[post].steps)
        picture = lines(series, x, ("training steps", "loss on unseen inputs, in nats"), theme=theme())
        ends = [f"{kind} {brief(float(series[kind][-1]))}" for kind in shown]
        fact = f"After {STEPS} steps the loss is, in nats: {listed(ends)}."
        about = About(scope=f"small models, 32 wide, trained on counting alike, {scope}, seed 0")
        made = f"[learning_curve(kind, {asked}).loss for kind in {shown}]"
        chart(picture, key, fact, about, numbers=True, made=made)
        say(fact)
    learned = [kind for kind in KINDS if float(found.curves[kind].loss[-1]) < LEARNED]
    right = [f"{kind} {percent(float(found.curves[kind].right[-1]))}" for kind in KINDS]
    say(
        f"Who only knows how frequent each answer is has a loss of {brief(CHANCE)}. Clearly below that "
        f"{f'come {listed(learned)}' if learned else 'comes none'}. Answers right in the end: {listed(right)}.",
        "One seed is one try: others can end in another order. Larger models are trained for longer, with their rate "
        "chosen for each kind; here all have the same.",
    )
