"""What the ways to a model share: going on with the one that was opened."""

import streamlit as st

from pages.ui.frame import sidebar


def show(name: str) -> None:
    """Go on with this model and see its attention."""
    sidebar.show_model(name)
    st.session_state["go_to"] = "pages/steps/attention.py"
