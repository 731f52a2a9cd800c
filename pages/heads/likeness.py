"""How alike all heads are."""

import numpy as np
import streamlit as st

from encoder.pictures.registry.heads import LIKENESS, PLANE, surveyed
from pages.heads.common import survey
from pages.ui.picture import ask, show


def draw() -> None:
    """The divergence between every two heads, as a matrix and as points in the plane."""
    heads = survey()
    if not np.isfinite(heads.likeness.numpy()).all():
        st.markdown("Some weights of this model are not numbers here, so its heads cannot be compared.")
        return
    known = {surveyed(ask(LIKENESS)): heads}
    show(LIKENESS, known=known)
    st.caption("Jensen-Shannon divergence in nats: 0 the same rows, ln 2 never on the same token.")
    show(PLANE, known=known)
