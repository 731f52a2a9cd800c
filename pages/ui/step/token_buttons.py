"""The tokens of the sentence as buttons: a tap masks one, another shows it again; the run changes with it."""

import streamlit as st

from encoder.formatting import shown
from encoder.trace.trace import Trace
from pages.ui.components import token_buttons
from pages.ui.state import session_state as state

MOST = 128  # tokens with a button of their own
LABEL = "Tap a token to mask it, so that no token looks at it; tap it again to show it"


def draw(trace: Trace, key: str) -> None:
    """A button for each token, in reading order; `key` is that of the place where they stand."""
    tokens, hidden = trace.tokens[:MOST], state.current().hidden
    token_buttons.draw(
        key, LABEL, [shown(token) for token in tokens], [i for i in hidden if i < len(tokens)],
        lambda: take(key, len(tokens)),
    )  # fmt: skip
    if len(trace.tokens) > MOST:
        st.caption(f"The first {MOST} of {len(trace.tokens)} tokens.")


def take(key: str, count: int) -> None:
    """Mask the tokens that are chosen, and those beyond the buttons that were masked before."""
    chosen = token_buttons.taken(key, count)
    if chosen is not None:
        beyond = [i for i in state.current().hidden if i >= MOST]
        state.change(hidden=tuple(chosen + beyond), cell=None)


def folded(trace: Trace) -> None:
    """The same behind a button, for every page."""
    fold = st.popover("Mask tokens", key="mask_tokens", type="tertiary", on_change="rerun")  # another label closes it
    if fold.open:
        with fold:
            draw(trace, "tapped")
