"""What two layers tell apart, as a picture: points inside a circle from those around it."""

import streamlit as st

from encoder.pictures.registry.labs_training import BOUNDARY_BENT, BOUNDARY_STRAIGHT
from pages.ui.picture import show
from pages.ui.text import heading


def draw() -> None:
    """Both networks beside each other: where each says inside."""
    heading("A straight boundary, and a bent one")
    st.markdown(
        "Two layers are trained to tell the points inside a circle from those around it. A cell is a point; what the "
        "network says of it is above 0.5 where it says inside."
    )
    for column, picture in zip(st.columns(2), (BOUNDARY_STRAIGHT, BOUNDARY_BENT), strict=True):
        with column:
            show(picture)
