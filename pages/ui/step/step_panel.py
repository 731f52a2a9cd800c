"""One step of the catalogue on the screen: the picture, its main fact, what happens there, and how to check it."""

import streamlit as st

from encoder.explain.number import what_to_see
from encoder.metrics import likeliest_ids, parked
from encoder.model.steps.step import Step
from encoder.pictures.figures.facts import title
from encoder.pictures.registry.steps import BEST_WORDS, LAYER_STEP, LOCK, STEP
from encoder.trace.trace import Trace
from pages.ui import cell_links, picture_view
from pages.ui.state.page_steps import page_of
from pages.ui.text import heading, plain


def brief(trace: Trace, step: Step, head: int) -> None:
    """The picture of one step first, below it what happens there."""
    heading(title(step, head))
    drawn(trace, step, head)
    st.caption(step.note)
    st.latex(step.equation)


def drawn(trace: Trace, step: Step, head: int) -> None:
    """The picture of a step, what is to be seen in it, and its numbers."""
    more = what_to_see(trace, step, head)
    if step.shape[-1] == "vocab":
        words = likeliest_ids(trace[step.name], BEST_WORDS).tolist()
        picture_view.show(STEP, more=more, **cell_links.clicks_on_words(trace, step, words))
        return
    if "H" in step.shape and step.values != "share":
        st.toggle("One colour scale for all heads", **picture_view.tie(LOCK, picture_view.ask(STEP)))
    of_layer = page_of(step).key == LAYER_STEP.page
    picture_view.show(LAYER_STEP if of_layer else STEP, more=more, **cell_links.clicks(trace, step, head))
    if step.local == "attention.weights" and (line := parked(trace, step.layer or 0, head).sentence):
        st.caption(plain(line))
