"""The way to a model that has what a lab tries, from one that has it not."""

import streamlit as st

from pages.ui.frame import run

MODEL = "modern"


def offer(lacks: str) -> None:
    """Say what this model lacks, with a button that opens one that has it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{lacks} The model {MODEL} has some.", width="content")
        st.button(f"Try it with {MODEL}", key="lab_modern", on_click=run.show_model, args=(MODEL,))
