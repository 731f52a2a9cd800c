"""How alike two sentences are, or every two of a list; with the prefixes that the model was trained with."""

import streamlit as st

from encoder.pictures.registry.compare_sentences import COSINE_SHARES, LIST, TWO
from encoder.pictures.scene import NO_PREFIX, PREFIX_A, PREFIX_B
from pages.compare import cosine, sentence_list
from pages.ui import session
from pages.ui.picture import ask, tie
from pages.ui.state import session_state as state


def draw() -> None:
    """The sentences on top of the page, or a list of them."""
    parts = (TWO, LIST)
    choice = state.choice("alike_part", parts, TWO)
    if st.pills("Sentences", parts, required=True, label_visibility="collapsed", **choice) == LIST:
        sentence_list.draw()
    else:
        two()


def two() -> None:
    """The prefixes, and what the two sentences have in common."""
    scene = ask(COSINE_SHARES)
    if prompts := scene.encoder.prompts:
        with st.container(horizontal=True):
            for name, option in (("A", PREFIX_A), ("B", PREFIX_B)):
                st.pills(f"Prefix of {name}", [*prompts, NO_PREFIX], required=True, **tie(option, scene))
        run = session.now()
        if scene[PREFIX_A] != NO_PREFIX and not run.tokenization.pair and (run.hidden or run.edits):
            st.caption("Behind a prefix every token stands elsewhere, so masks and changes are not made here.")
    cosine.draw()
