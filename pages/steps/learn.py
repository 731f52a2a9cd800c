"""Learning, how did it learn this? A small task learned here, a mystery model, and a trained model at its moments."""

import streamlit as st

from pages.parts.learn import choices, mystery, opening, run, time_lapse
from pages.ui.widgets import tabs


def learning() -> None:
    """A task, its run, and the way into its model."""
    st.markdown(
        "A new encoder knows nothing. Here one learns a small task whose right attention is known: see whether its "
        "heads find it, then open the model in all other pages."
    )
    settings = choices.draw()
    run.draw(settings)
    opening.draw(settings)


tabs({"Learn a task": learning, "Mystery models": mystery.draw, "Time-lapse": time_lapse.draw}, "learn_part")
