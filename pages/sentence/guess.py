"""Which words made the model's guess at the word that is asked."""

from encoder.metrics.guess import guess_place
from encoder.pictures.link import is_count
from encoder.support.formatting import shown
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import attribution_section
from pages.ui.text import plain
from pages.ui.widgets import fold


def draw() -> None:
    """A fold, worked out when it is opened; without a chosen word the guess at the mask, or at the first word."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    at = guess_place(trace, encoder.mask_token)
    word = dict(state.current().choices).get("word", "")
    if is_count(word) and int(word) < len(trace.tokens):
        at = int(word)
    label = plain(f"Which words made the guess at “{shown(trace.tokens[at])}” ({at})")
    fold(label, "ask_why", lambda: attribution_section.draw(at))
