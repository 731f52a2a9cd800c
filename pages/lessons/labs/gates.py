"""Gate signs: the four regimes of a unit with a gate."""

import streamlit as st

from encoder.pictures.registry.labs_layers import GATE_SIGNS, GATE_UNITS, UNITS
from encoder.support.formatting import percent
from pages.lessons.labs import modern
from pages.ui.picture import answer_of, ask, show


def draw() -> None:
    """How often the halves of the units of the chosen layer have which signs."""
    st.markdown(
        "A unit with a gate multiplies two numbers, and each may be above zero or below: four regimes, and one list of "
        "words that excite it tells of one or two of them."
    )
    config = ask(GATE_SIGNS).encoder.config
    if not config.gated:
        modern.offer("The units of this model have no gates.")
        return
    written = answer_of(GATE_SIGNS).numbers.array[1]
    minus = percent(float(written[[1, 2]].sum()))
    show(GATE_SIGNS, more=f"{minus} of it has a minus: the unit writes its direction the other way round.")
    show(GATE_UNITS, more=f"The first {min(UNITS, config.d_ff)} are drawn.")
