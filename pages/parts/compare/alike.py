"""How alike two sentences are, or every two of a list; with the prefixes that the model was trained with."""

import streamlit as st

from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from pages.parts.compare import cosine, sentence_list
from pages.parts.compare.sentence_list import TWO
from pages.ui import session
from pages.ui.state import session_state as state

NO_PREFIX = "none"
LIST = "A list"


def draw() -> None:
    """The sentences on top of the page, or a list of them."""
    parts = (TWO, LIST)
    tie = state.choice("alike_part", parts, TWO)
    if st.pills("Sentences", parts, required=True, label_visibility="collapsed", **tie) == LIST:
        sentence_list.draw()
    else:
        two()


def two() -> None:
    """The prefixes, and what the two sentences have in common."""
    view = state.current()
    encoder = session.text_encoder(view.model)
    a, other = session.now(), encoder.tokenize(view.sentence_b).text
    if encoder.prompts:
        with st.container(horizontal=True):
            first, second = prefix(encoder, "A", "prefix_a"), prefix(encoder, "B", "prefix_b")
        a = prefixed(encoder, a, first)
        other = encoder.prompted(other, second)
    cosine.draw(a, session.run(view.model, other))


def prefix(encoder: TextEncoder, name: str, key: str) -> str:
    """The prefix that is chosen for a sentence, the model's usual one at first; empty for none."""
    assert encoder.sentence is not None
    options = [*encoder.prompts, NO_PREFIX]
    tie = state.choice(key, options, encoder.sentence.usual_prompt or NO_PREFIX)
    chosen: str = st.pills(f"Prefix of {name}", options, required=True, **tie)
    return "" if chosen == NO_PREFIX else chosen


def prefixed(encoder: TextEncoder, run: Trace, name: str) -> Trace:
    """The run of the same sentence behind a prefix; the very run without one, or of a pair."""
    if not name or run.tokenization.pair:
        return run
    if run.hidden or run.edits:
        st.caption("Behind a prefix every token stands elsewhere, so masks and changes are not made here.")
    return session.run(state.current().model, encoder.prompted(run.text, name))
