"""The picture of a step's view in a lesson, by the page that the step shows; of words it is the guess."""

from collections.abc import Callable
from html import escape

import streamlit as st

from encoder.metrics.guess import WordGuess, guess_place, word_guess
from encoder.pictures.registry.grids import LESSON_HEADS
from encoder.support.formatting import percent
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.lessons.story_stop import head_maps, tokens
from pages.ui.state import session_state as state
from pages.ui.state.page_steps import steps_of
from pages.ui.state.site import Page
from pages.ui.step import sections, step_panel
from pages.ui.text import plain, say
from pages.ui.widgets import pick_token


def heads(trace: Trace) -> None:
    """All heads of the layer as small maps."""
    head_maps(LESSON_HEADS)


def cost(trace: Trace) -> None:
    """What the model holds, and what the run did."""
    sections.draw_parameters(session_runs.text_encoder(state.current().model))
    sections.draw_costs(trace)


PICTURES: dict[str, Callable[[Trace], None]] = {"start": tokens, "heads": heads, "models": cost}


def of(page: Page, trial: str) -> Callable[[], None] | None:
    """What draws the view of a step on that page; None where what its trial measures says all there is."""
    trace, view = session_runs.now(), state.current()
    if page.parts:
        offered = steps_of(page, trace.config, view.layer)
        step = offered.get(view.step) or offered.get(page.opens_on) or next(iter(offered.values()))
        if step.shape[-1] == "vocab":
            return lambda: draw_guess(trace)
        return lambda: step_panel.brief(trace, step, view.head)
    if trial and page.key != "start":
        return None
    return lambda: PICTURES.get(page.key, tokens)(trace)


MOST_PLACES = 60  # that can be tapped


def guess_at(trace: Trace, position: int) -> WordGuess | None:
    """The guess at a position, beside that of the run without any change where there are changes."""
    view = state.current()
    changed = view.edits or view.hidden
    before = session_runs.run(view.model, state.session().read) if changed else None
    return word_guess(session_runs.text_encoder(view.model), trace, position, before)


def draw_guess(trace: Trace) -> None:
    """The place to tap, the words as bars, and the sentence."""
    usual = guess_place(trace, session_runs.text_encoder(state.current().model).mask_token)
    if "mlm.probabilities" not in trace:
        st.caption(plain(session_runs.text_encoder(state.current().model).why_no_guesses))
        return
    position = pick_token("At", trace.tokens[:MOST_PLACES], "guess_at", min(usual, MOST_PLACES - 1))
    guess = guess_at(trace, position)
    if guess is not None:
        draw_bars(guess)
        say(guess.sentence)


def draw_bars(guess: WordGuess) -> None:
    """Draw the words with their probabilities, the first on top; where a bar was before stays as an outline."""
    before = guess.before or (None,) * len(guess.words)
    rows = [
        f"<li><b title='{escape(word)}'>{escape(word)}</b><span><i style='width: {share:.2%}'></i>"
        + (f"<i class='before' style='width: {was:.2%}'></i>" if was is not None else "")
        + f"</span>{percent(share)}</li>"
        for word, share, was in zip(guess.words, guess.now, before, strict=True)
    ]
    st.html(f"<ol class='guess-bars'>{''.join(rows)}</ol>")
