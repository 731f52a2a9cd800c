"""Two sentences: that of the sidebar, and another one; with the prefixes that the model was trained with."""

import streamlit as st

from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from pages.parts.alike import pair
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.state.view import OTHER

NO_PREFIX = "none"


def draw() -> None:
    """The other sentence, the prefixes, and what the two have in common."""
    view = state.current()
    encoder = session.text_encoder(view.model)
    st.text_input("The other sentence (B)", max_chars=4000, **state.widget("other"))
    other = encoder.tokenize(view.other if view.other.strip() else OTHER).text
    a = session.now()
    if encoder.prompts:
        with st.container(horizontal=True):
            first, second = prefix(encoder, "A", "prefix_a"), prefix(encoder, "B", "prefix_b")
        a = prefixed(encoder, a, first)
        other = encoder.prompted(other, second)
    pair.draw(a, session.run(view.model, other))


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
