"""What the changes do to the guess, before any other number."""

import streamlit as st

from pages.ui import session
from pages.ui.step import guess


def draw() -> None:
    """The guess as it is now, beside what it was."""
    st.header("What the model says")
    guess.large(session.now())
