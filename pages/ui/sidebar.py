"""What all pages share: the sentence, the model, the layer and head, and what is hidden."""

import streamlit as st

from encoder.figures.theme import shown
from encoder.trace import Trace
from pages.ui import session, state
from pages.ui.walk import KNOWN_STEPS


def draw() -> Trace:
    """Draw the sidebar, run the sentence, and return the recorded run that every page reads."""
    models = list(session.MODELS)
    state.read_url(models, KNOWN_STEPS)
    with st.sidebar:
        st.text_area("Sentence", key="sentence", height=100, max_chars=200_000, help="Ctrl+Enter runs it.")
        st.selectbox("Model", models, key="model", format_func=lambda m: session.MODELS[m].label, on_change=go_home)
        encoder = session.text_encoder(st.session_state["model"])
        typed = st.session_state["sentence"]
        if not typed.strip():
            state.note(["The sentence is empty, so the example is shown."])
        pieces = encoder.tokenize(typed if typed.strip() else state.EXAMPLE)
        if typed.strip() and pieces.kept_characters < len(typed):
            state.note([cut_note(len(typed), pieces.kept_characters, len(pieces.ids))])
        view, notes = state.current().within(encoder.config, len(pieces.ids))
        state.note(notes)
        state.store(view, ("layer", "head", "hidden"))
        config, tokens = encoder.config, pieces.tokens
        st.segmented_control("Layer", range(config.n_layers), key="layer", required=True, width="stretch")
        st.segmented_control("Head", range(config.n_heads), key="head", required=True, width="stretch")
        st.multiselect(
            "Hidden tokens",
            range(len(tokens)),
            key="hidden",
            format_func=lambda i: f"{i} {shown(tokens[i])}",
            help="No token can look at a hidden one: its column in the attention is masked.",
        )
        if len(typed) > state.LONGEST_IN_URL:
            st.caption("This sentence is too long to be part of the link.")
    st.session_state["read"] = pieces.text
    return session.now()


def go_home() -> None:
    """Show the layer and head of the newly chosen model that are worth a first look."""
    offer = session.MODELS[st.session_state["model"]]
    st.session_state["layer"], st.session_state["head"] = offer.layer, offer.head


def cut_note(length: int, kept: int, tokens: int) -> str:
    """What to say of input that was too long."""
    return f"The text has {length:,} characters; the model reads the first {kept:,}, {tokens} tokens, and no more."
