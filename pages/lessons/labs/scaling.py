"""What the division by sqrt(d_head) is for."""

import streamlit as st

from encoder.experiments import dot_products
from encoder.pictures.expression import call
from encoder.pictures.registry.labs_softmax import DEVIATION, SCALING_HEADS, SLOPES, SPREAD
from encoder.support.formatting import percent
from pages.ui.picture import answer_of, show
from pages.ui.text import heading


def draw() -> None:
    """Random queries and keys of growing width, and then the heads of the model."""
    st.markdown("Random queries and keys of growing width, and then the heads of this model.")
    show(DEVIATION)
    widest = answer_of(SPREAD).value(call(dot_products))[-1]
    show(
        SPREAD,
        more=f"The largest weight is {percent(widest.without_largest)} on average without the division and "
        f"{percent(widest.with_largest)} with it: softmax becomes all or nothing.",
    )
    heading("The gradient with the division, and without")
    show(SLOPES)
    show(SCALING_HEADS)
