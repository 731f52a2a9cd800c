"""What each head adds to each token once it has been through W_O."""

import streamlit as st

from encoder.pictures.registry.attention import HEAD_LENGTHS, HEAD_SHARES
from pages.ui.picture import show
from pages.ui.text import heading


def draw() -> None:
    """How long each head's part of the output is at each token, and its share of the sum of all heads."""
    heading("What each head adds, after W_O")
    st.markdown(
        "Head h meets its own rows of W_O: the output is the sum of Z_h W_O^h over all heads, and b_O. Nothing of a "
        "head is left in place; it is spread over all dimensions and added to the others."
    )
    show(HEAD_LENGTHS)
    show(
        HEAD_SHARES,
        more="A share is the head's vector along the direction of the sum; over the heads, shares add up to 1, and a "
        "negative one works against the sum.",
    )
