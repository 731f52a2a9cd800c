"""The guess that is explained: a token, a word, and perhaps another word that it is held against."""

from dataclasses import replace

import streamlit as st

from encoder.pictures.ask import scene_of
from encoder.pictures.export.caption import begun
from encoder.pictures.registry.why import GUESS, OTHER, WORD, target
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from pages.ui import session
from pages.ui.picture import tie
from pages.ui.state import session_state as state
from pages.ui.text import plain
from pages.ui.widgets import pick_token


def pick(at: int | None = None) -> Scene | None:
    """Let the person choose; returns what is asked, None where no word can be explained.

    `at` is the place of the guess, where that is not to be chosen.
    """
    scene = asked(at)
    if scene.encoder.model.mlm_head is None:
        st.markdown(plain(f"{scene.encoder.why_no_guesses} So there is no guess to explain."))
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if at is None:
            pick_token("The guess at", scene.t.tokens, GUESS.key, GUESS.usual(scene))
        st.text_input("Word", max_chars=40, width=180, **tie(WORD, asked(at)))
        st.text_input("Rather than (may be empty)", max_chars=40, width=220, **tie(OTHER, scene))
    scene = asked(at)
    try:
        target(scene)
    except EncoderError as error:
        st.markdown(plain(f"{begun(str(error))}; write another one."))
        return None
    return scene


def asked(at: int | None) -> Scene:
    """What is asked now, of the guess at a place where that is not to be chosen."""
    view = state.current()
    if at is not None:
        view = replace(view, choices=tuple(sorted((dict(view.choices) | {GUESS.key: str(at)}).items())))
    return scene_of(view, "run", session.text_encoder, session.run)
