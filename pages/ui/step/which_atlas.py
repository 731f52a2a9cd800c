"""Which atlas of the model is read, where there are several: one choice for all pages."""

import streamlit as st

from encoder.atlas.reading import Atlas
from pages.ui import session
from pages.ui.server.measurements import atlases
from pages.ui.state import session_state as state


def choose() -> Atlas | None:
    """One of the atlases of the model; nothing is asked where there is but one, or none."""
    found = atlases(state.current().model).atlases
    if len(found) > 1:
        numbers = range(len(found))
        tie = state.shared_choice("atlas_of", numbers, 0)
        st.selectbox("Atlas", numbers, format_func=lambda i: f"{i + 1} {label(found[i])}", **tie)
    return session.atlas()


def label(atlas: Atlas) -> str:
    """An atlas for people."""
    return f"{atlas.folder.name}: {atlas.card.scope}"
