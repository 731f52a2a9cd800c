"""What two layers tell apart, as a picture: points inside a circle from those around it."""

import streamlit as st

from encoder.experiments import boundary
from encoder.experiments.boundary import RADIUS, SIDE
from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import percent
from pages.ui.components.chart import chart
from pages.ui.text import heading, say, theme

BENT = {"with nothing between them": False, "with ReLU between them": True}


def draw() -> None:
    """Both networks beside each other: where each says inside."""
    heading("A straight boundary, and a bent one")
    st.markdown(
        "Two layers are trained to tell the points inside a circle from those around it. A cell is a point; what the "
        "network says of it is above 0.5 where it says inside."
    )
    axis = [f"{2 * i / (SIDE - 1) - 1:.1f}" for i in range(SIDE)]
    every_other = [name if i % 2 == 0 else "" for i, name in enumerate(axis)]
    about = About(scope=f"two layers, 2 → 16 → 1, trained now on a circle of radius {RADIUS}, seed 0")
    for column, (name, bent) in zip(st.columns(2), BENT.items(), strict=True):
        found = boundary(bent)
        drawn = matrix(found.logits.sigmoid().numpy(), axis, every_other, kind="share", theme=theme())
        fact = f"Two layers {name} tell {percent(found.right)} of the points right; always to say the same would tell "
        fact += f"{percent(found.commonest)}."
        with column:
            chart(drawn, f"boundary_{'bent' if bent else 'straight'}", fact, about, numbers=True,
                  made=f"boundary({bent}).logits.sigmoid()")  # fmt: skip
            say(fact)
