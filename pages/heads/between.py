"""How much of its weight each head sends from one sentence of a pair to the other."""

import streamlit as st

from encoder.metrics import WAYS
from encoder.pictures.registry.heads import BETWEEN, WAY
from pages.ui.picture import ask, show, tie
from pages.ui.text import arrow


def draw() -> None:
    """One way between the sentences for every head."""
    st.pills("From sentence to sentence", list(WAYS), required=True, format_func=arrow, **tie(WAY, ask(BETWEEN)))
    show(BETWEEN)
