"""What all pages share: the sentence, the model, the layer and head, and what is hidden."""

import streamlit as st

from encoder.edit_text import sentence, text_to_edits
from encoder.figures.theme import shown
from encoder.trace import Trace
from pages.ui import session, state
from pages.ui.text import plain
from pages.ui.walk import KNOWN_STEPS


def draw() -> Trace:
    """Draw the sidebar, run the sentence, and return the recorded run that every page reads."""
    models = list(session.MODELS)
    state.read_url(models, KNOWN_STEPS)
    with st.sidebar:
        st.text_area("Sentence", height=100, max_chars=200_000, help="Ctrl+Enter runs it.", **state.widget("sentence"))
        tie = state.widget("model") | {"on_change": take_model, "args": ()}
        st.selectbox("Model", models, format_func=lambda m: session.MODELS[m].label, **tie)
        typed, encoder = state.current().sentence, session.text_encoder(state.current().model)
        if not typed.strip():
            state.note(["The sentence is empty, so the example is shown."])
        pieces = encoder.tokenize(typed if typed.strip() else state.EXAMPLE)
        if typed.strip() and pieces.kept_characters < len(typed):
            state.note([cut_note(len(typed), pieces.kept_characters, len(pieces.ids))])
        view, notes = state.current().within(encoder.config, len(pieces.ids))
        state.note(notes)
        st.session_state["view"] = view
        config, tokens = encoder.config, pieces.tokens
        st.segmented_control("Layer", range(config.n_layers), required=True, width="stretch", **state.widget("layer"))
        st.segmented_control("Head", range(config.n_heads), required=True, width="stretch", **state.widget("head"))
        st.multiselect(
            "Hidden tokens",
            range(len(tokens)),
            format_func=lambda i: f"{i} {shown(tokens[i])}",
            help="No token can look at a hidden one: its column in the attention is masked.",
            **state.widget("hidden"),
        )
        if view.edits:
            changes = text_to_edits(view.edits)
            st.markdown(f"**This run is changed** ({len(changes)})")
            for edit in changes[:8]:
                st.caption(plain(sentence(edit, config)))
            st.button("Remove all changes", key="remove_edits", on_click=state.change, kwargs={"edits": ""})
        if len(typed) > state.LONGEST_IN_URL:
            st.caption("This sentence is too long to be part of the link.")
    st.session_state["read"] = pieces.text
    return session.now()


def take_model() -> None:
    """Show the newly chosen model at the layer and head that are worth a first look."""
    model = st.session_state["model"]
    offer = session.MODELS[model]
    state.change(model=model, layer=offer.layer, head=offer.head)


def cut_note(length: int, kept: int, tokens: int) -> str:
    """What to say of input that was too long."""
    return f"The text has {length:,} characters; the model reads the first {kept:,}, {tokens} tokens, and no more."
