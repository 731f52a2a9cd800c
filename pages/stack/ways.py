"""Every token's way through the layers, in one plane."""

import streamlit as st

from encoder.metrics import stream
from encoder.pictures.registry.output import PATHS
from pages.ui import session
from pages.ui.picture import show
from pages.ui.text import heading


def draw() -> None:
    """The two directions in which the tokens differ most."""
    heading("The paths of the tokens")
    if not bool(stream(session.now()).isfinite().all()):
        st.markdown("Some vectors of this run are not numbers, so there are no paths to draw.")
        return
    show(
        PATHS,
        more="All tokens after all layers stand in these (principal components of all of them together). The large dot "
        "is the input; the name stands at the end, where it lies on no other; point at a dot to read it.",
    )
