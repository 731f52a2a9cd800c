"""How alike the vectors of the layers are, over the bundled sentences."""

import streamlit as st

from encoder.metrics import survey
from encoder.pictures.expression import ENC, call
from encoder.pictures.registry.output import ALIKE_COSINE, ALIKE_LINEAR
from encoder.support.formatting import brief
from pages.ui import session
from pages.ui.picture import show
from pages.ui.text import plain


def draw() -> None:
    """Two measures of likeness, layer by layer."""
    found = session.survey(None)
    for column, picture in zip(st.columns(2), (ALIKE_COSINE, ALIKE_LINEAR), strict=True):
        with column:
            show(picture, known={call(survey, ENC): found})
    st.markdown(
        plain(
            f"Over {found.sentences} sentences and {found.tokens} tokens: the least alike neighbours among the layers "
            f"have cosine {brief(found.least_neighbours)}. Linear CKA (Kornblith et al. 2019) does not mind rotations."
        )
    )
