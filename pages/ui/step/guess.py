"""The guess on the screen: a token to tap, the words as bars, and the sentence."""

import streamlit as st

from encoder.metrics.guess import WordGuess, guess_place, word_guess
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components import guess_bars
from pages.ui.state import session_state as state
from pages.ui.text import plain, say
from pages.ui.widgets import pick_token

MOST_PLACES = 60  # that can be tapped


def found(trace: Trace, position: int) -> WordGuess | None:
    """The guess at a position, beside that of the run without any change where there are changes."""
    view = state.current()
    changed = view.edits or view.hidden
    before = session.run(view.model, state.session().read) if changed else None
    return word_guess(session.text_encoder(view.model), trace, position, before)


def large(trace: Trace) -> None:
    """The place to tap, the words as bars, and the sentence."""
    usual = guess_place(trace, session.text_encoder(state.current().model).mask_token)
    if "mlm.probabilities" not in trace:
        st.caption(plain(session.text_encoder(state.current().model).why_no_guesses))
        return
    position = pick_token("At", trace.tokens[:MOST_PLACES], "guess_at", min(usual, MOST_PLACES - 1))
    guess = found(trace, position)
    if guess is not None:
        guess_bars.draw("guess_large", guess)
        say(guess.sentence)
