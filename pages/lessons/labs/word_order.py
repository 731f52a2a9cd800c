"""Without positions the outputs are the same vectors in another order."""

import streamlit as st

from encoder.pictures.registry.labs import ORDER, in_reverse
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from pages.ui.picture import answer_of, ask, show
from pages.ui.text import plain


def draw() -> None:
    """The sentence against its words in reverse, with positions and without."""
    st.markdown(
        "The sentence is run as it stands and with its words in reverse, once without positions and once with them."
    )
    try:
        order = answer_of(ORDER).value(in_reverse(ask(ORDER)))
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    st.text("Reversed: " + " ".join(map(shown, order.reordered)))
    show(ORDER)
