"""The guess on the screen: large on a page, and as a strip that can be kept in view on all of them."""

import streamlit as st

from encoder.metrics.guess import WordGuess, guess_place, word_guess
from encoder.pictures.registry.output import GUESS_AT, RACE
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components import guess_bars
from pages.ui.picture import ask
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
        guess_bars.draw("guess_large", guess, "large")
        say(guess.sentence)


def switch() -> None:
    """The button, and the key, that keep the guess in view or put it away."""
    tie = state.choice("guess_strip", (False, True), False)
    label = "Hide the guess" if state.value(tie["key"]) else "Guess"
    st.button(label, key="guess_switch", shortcut="G", type="tertiary", on_click=turn,
              help="Keeps the model's five likeliest words at the bottom of every page.")  # fmt: skip


def turn() -> None:
    """Show the strip, or put it away."""
    wanted = not state.value("guess_strip")
    state.show(guess_strip=wanted)
    state.remember("guess_strip", wanted, False)


def strip(trace: Trace) -> None:
    """The strip, where it is wanted."""
    if not state.value("guess_strip"):
        return
    with st.container(key="guess_strip_box"):
        place = GUESS_AT.of(ask(RACE))
        guess = found(trace, place) if "mlm.probabilities" in trace else None
        if guess is None:
            st.caption(plain(session.text_encoder(state.current().model).why_no_guesses))
        else:
            guess_bars.draw("guess_strip_bars", guess, "strip")
