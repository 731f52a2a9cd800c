"""Which words made the model's guess at the word that is asked."""

from encoder.formatting import shown
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import shared_out
from pages.ui.text import plain
from pages.ui.widgets import fold


def draw() -> None:
    """A fold, worked out when it is opened; without an asked word the guess at the mask, or at the first word."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    asked = state.value("ask_word")
    known = type(asked) is int and 0 <= asked < len(trace.tokens)
    usual = trace.tokens.index(encoder.mask_token) if encoder.mask_token in trace.tokens else 1
    at = asked if known else min(usual, len(trace.tokens) - 1)
    label = plain(f"Which words made the guess at “{shown(trace.tokens[at])}” ({at})")
    fold(label, "ask_why", lambda: shared_out.draw(at))
