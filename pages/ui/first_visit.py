"""The first visitor after a start of the server waits for libraries; here is what is done meanwhile and after.

Streamlit's script for charts is fetched while the server loads, and its mistaken "Page not found" is closed.
Until the app has named its pages for the first time, Streamlit looks for pages in the folder pages/ by itself; it finds
no link to a page there, says so, and then shows the right page all the same.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from pages.ui.component import component

CHART_SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
_component = component("first_visit", "<span></span>")


@st.cache_resource(show_spinner=False)
def sessions() -> list[bool]:
    """One entry as soon as this server has a session."""
    return []


def draw() -> None:
    """Close the dialog in the very first session."""
    if st.session_state.setdefault("first_visit", not sessions()):
        sessions().append(True)
        scripts = sorted(path.name for path in CHART_SCRIPTS.glob("PlotlyChart.*.js"))
        _component(key="first_visit_dialog", data={"script": scripts[0] if len(scripts) == 1 else ""})


@st.cache_resource(show_spinner=False)
def loaded() -> list[bool]:
    """One entry as soon as this server has its libraries."""
    return []


@contextmanager
def loading() -> Iterator[None]:
    """Around the imports: nobody looks for garbage meanwhile, nor ever after among the libraries.

    To look at all of torch's objects takes a tenth of a second, in which no session gets on. It must not be later:
    what stands aside here is never let go, and there are no runs yet.
    """
    if loaded():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
    gc.freeze()
    loaded().append(True)
