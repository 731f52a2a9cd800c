"""Which atlas is shown: one of the model in the sidebar, and of no other."""

from functools import lru_cache

import streamlit as st

from encoder.atlas.reading import Atlas
from encoder.atlas.shelf import FOLDER, Shelf, Stamp, shelf, stamp
from encoder.export.caption import About
from encoder.trace.source import Source
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain


@lru_cache(maxsize=16)
def opened(source: Source, there: Stamp) -> Shelf:
    """The atlases of a model; looked for again when a card has come, gone or changed."""
    return shelf(source)


def chosen() -> Atlas | None:
    """The atlas that is shown; where there is none it is said how to make one."""
    encoder = session.text_encoder(state.current().model)
    found = opened(encoder.source, stamp())
    for sentence in found.refused:
        st.warning(plain(f"An atlas is left out: {sentence}."))
    if not found.atlases:
        name = plain(encoder.source.name)
        st.info(f"There is no atlas of {name} here, and that of another model is not shown in its place.")
        st.markdown(f"Make one of a text of yours, and start the app with `{FOLDER}` set to the folder:")
        st.code("python -m encoder.atlas --model FOLDER --corpus text.txt --out my-atlas", language="bash")
        return None
    numbers = range(len(found.atlases))
    at = 0
    if len(numbers) > 1:
        tie = state.choice("atlas_of", numbers, 0)
        at = st.selectbox("Atlas", numbers, format_func=lambda i: f"{i + 1} {label(found.atlases[i])}", **tie)
    atlas = found.atlases[at]
    licence = f" Text: {atlas.card.licence}." if atlas.card.licence else ""
    st.caption(plain(f"On {atlas.card.scope}.{licence}"))
    return atlas


def now() -> Atlas:
    """The atlas that the tabs read, once there is one."""
    found = opened(session.text_encoder(state.current().model).source, stamp()).atlases
    at = state.value("atlas_of") if len(found) > 1 else 0
    return found[at if isinstance(at, int) and at < len(found) else 0]


def label(atlas: Atlas) -> str:
    """An atlas for people."""
    return f"{atlas.folder.name}: {atlas.card.scope}"


def about(atlas: Atlas) -> About:
    """What a picture of an atlas shows."""
    return About(source=session.now().source, scope=f"{atlas.card.scope}, nothing masked or changed")
