"""The first visitor after a start of the server: Streamlit's mistaken "Page not found" is closed.

Until the app has named its pages for the first time, Streamlit looks for pages in the folder pages/ by itself; it finds
no link to a page there, says so, and then shows the right page all the same.
"""

import gc

import streamlit as st

from pages.ui.component import component

_component = component("first_visit", "<span></span>")


@st.cache_resource(show_spinner=False)
def sessions() -> list[bool]:
    """One entry as soon as this server has a session."""
    return []


def draw() -> None:
    """Close the dialog in the very first session."""
    if st.session_state.setdefault("first_visit", not sessions()):
        sessions().append(True)
        _component(key="first_visit_dialog")


@st.cache_resource(show_spinner=False)
def settled() -> list[bool]:
    """One entry as soon as this server has finished a run."""
    return []


def settle() -> None:
    """After the first run of a server: Streamlit looks for garbage after every run, and need not look at libraries."""
    if not settled():
        settled().append(True)
        gc.collect()
        gc.freeze()
