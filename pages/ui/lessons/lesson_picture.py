"""The picture of a step's view in a lesson, by the page that the step shows."""

from collections.abc import Callable

import streamlit as st

from encoder.pictures.registry.grids import LESSON_HEADS
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.lessons import story_picture
from pages.ui.state import session_state as state
from pages.ui.state.site import Page
from pages.ui.state.walk import steps_of
from pages.ui.step import cost_tables, guess, panel, token_strip


def tokens(trace: Trace) -> None:
    """The sentence as the model reads it."""
    token_strip.draw(trace)
    st.caption(token_strip.explained(trace))


def heads(trace: Trace) -> None:
    """All heads of the layer as small maps."""
    story_picture.head_maps(LESSON_HEADS, state.current().head)


def cost(trace: Trace) -> None:
    """What the model holds, and what the run did."""
    cost_tables.of_parameters(session.text_encoder(state.current().model))
    cost_tables.of_steps(trace)


PICTURES: dict[str, Callable[[Trace], None]] = {"sentence": tokens, "heads": heads, "your_model": cost}


def of(page: Page, trial: str) -> Callable[[], None] | None:
    """What draws the view of a step on that page; None where what its trial measures says all there is."""
    trace, view = session.now(), state.current()
    if page.parts:
        offered = steps_of(page, trace.config, view.layer)
        step = offered.get(view.step) or offered.get(page.opens_on) or next(iter(offered.values()))
        if step.shape[-1] == "vocab":
            return lambda: guess.large(trace)
        return lambda: panel.brief(trace, step, view.head)
    if trial and page.key != "sentence":
        return None
    return lambda: PICTURES.get(page.key, tokens)(trace)
