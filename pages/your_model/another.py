"""Another model: build an untrained one of any shape, open one from the server's folder, or fetch one from the hub."""

import streamlit as st

from pages.ui.refusals import told
from pages.ui.state import session_state as state
from pages.your_model import build, folder, from_hub

FIRST = "Build one"
WAYS = {FIRST: build.draw, "From a folder": folder.draw, "From the hub": from_hub.draw}


def draw() -> None:
    """The three ways, the first one open whatever the link says: what is chosen and typed there is no part of it."""
    if not state.has("your_model"):
        state.show(your_model=FIRST)
    way = st.segmented_control("From where", list(WAYS), required=True, label_visibility="collapsed", key="your_model")
    with told():
        WAYS[way or FIRST]()
