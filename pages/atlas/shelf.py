"""Which atlas is shown: one of the chosen model, and of no other."""

import streamlit as st

from encoder.atlas.atlas_folders import FOLDER
from encoder.atlas.reading import Atlas
from encoder.support.formatting import percent
from pages.ui import session
from pages.ui.server.atlases import atlases
from pages.ui.state import session_state as state
from pages.ui.step import which_atlas
from pages.ui.text import plain


def chosen() -> Atlas | None:
    """The atlas that is shown; where there is none it is said how to make one."""
    encoder = session.text_encoder(state.current().model)
    found = atlases(state.current().model)
    for sentence in found.refused:
        st.warning(plain(f"An atlas is left out: {sentence}."))
    atlas = which_atlas.choose()
    if atlas is None:
        name = plain(encoder.source.name)
        st.info(f"There is no atlas of {name} here, and that of another model is not shown in its place.")
        st.markdown(f"Make one of a text of yours, and start the app with `{FOLDER}` set to the folder:")
        st.code("python -m encoder.atlas --model FOLDER --corpus text.txt --out my-atlas", language=None)
        return None
    licence = f" Text: {atlas.card.licence}." if atlas.card.licence else ""
    st.caption(plain(f"On {atlas.card.scope}.{licence}"))
    return atlas


def now() -> Atlas:
    """The atlas that the tabs read, once there is one."""
    found = session.atlas()
    assert found is not None, "the page asks for one first"
    return found


def share_of(hits: int, drawn: int) -> str:
    """A part of the firings of a unit, as it is said: of those that are kept, which were drawn evenly from all."""
    return f"{percent(hits / max(1, drawn))} of its firings ({hits} of {drawn} drawn evenly from all)"
