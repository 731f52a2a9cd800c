"""Watch it learn: a small encoder is trained on a task whose right attention is known, and can be opened afterwards."""

import streamlit as st

from pages.parts.learn import choices, mystery, opening, run
from pages.ui.widgets import tabs

st.markdown(
    "A new encoder knows nothing. Here one learns a small task, step by step, and because the right way to do it is "
    "known, you can see whether its heads find it. Press Play, pause, go back; then open the model in all other pages."
)


def learning() -> None:
    """A task, its run, and the way into its model."""
    settings = choices.draw()
    run.draw(settings)
    opening.draw(settings)


tabs({"Learn a task": learning, "Mystery models": mystery.draw}, "learn_part")
