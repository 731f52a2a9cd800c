"""One step of the catalogue on the screen: the picture, its main fact, what happens there, and how to check it."""

from inspect import getsource

import streamlit as st

from encoder.explain import whole
from encoder.explain.number import what_to_see
from encoder.explain.snippet import running_source, snippet
from encoder.metrics import likeliest_ids, parked
from encoder.model.steps.step import Step
from encoder.pictures.figures.facts import title
from encoder.pictures.registry.steps import BEST_WORDS, LAYER_STEP, LOCK, STEP
from encoder.support.formatting import agreement
from encoder.support.formatting import brief as written
from encoder.teach.trials.wiring import classic
from encoder.trace.trace import Trace
from pages.ui import cell_links, picture_view, session_runs
from pages.ui.state import session_state as state
from pages.ui.state import site
from pages.ui.state.walk import current, page_of
from pages.ui.text import heading, plain


def step_of(page_key: str) -> Step:
    """Return the step of a page that the address names, else the one that it opens on."""
    trace = session_runs.now()
    return current(site.page_of(page_key), trace.config)


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


def below(page: str) -> None:
    """What every page of steps ends with: the pictures that no page names, and how to check the step."""
    picture_view.show_headed(page)
    proof(session_runs.now(), step_of(page))


def proof(trace: Trace, step: Step) -> None:
    """How to check a step: against PyTorch's own modules, and by running its code."""
    heading("How to check")
    checks = session_runs.proof(step.name)
    with st.grid("auto", min_column_width=210, key="proof"):
        for check in checks:
            words = f"Largest difference, now: {written(check.difference)}, among numbers up to {written(check.size)}."
            words = f"The effect of a change, no proof: {check.edited}." if check.edited else words
            name = f"{check.what} (changed)" if check.edited else check.what
            value = written(check.difference) if check.edited else agreement(check.difference, check.size)
            st.metric(plain(name), value, help=plain(words))
    model = session_runs.text_encoder(state.current().model).model
    st.caption(
        f"{trace[step.name].dtype} · dropout {'on' if model.training else 'off'} · model {plain(trace.source.name)} "
        f"({trace.source.fingerprint})" + ("" if checks else " · PyTorch has no module of its own for this part")
    )
    lines = st.expander("Show me the code", key="code", on_change="rerun")
    if lines.open:
        ours, running = lines.columns(2)
        ours.markdown("Lines that run by themselves and print this tensor:")
        ours.code(snippet(trace, step, state.current().head), language="python")
        running.markdown("The source that computed it:")
        running.code(running_source(trace, step), language="python")
        if step.name == "output" and classic(trace.config):
            lines.markdown("All of it in one program, as tutorials write it; with these weights it computes the same:")
            lines.code(getsource(whole), language="python")
