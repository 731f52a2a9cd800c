"""The tour of a model: sentences about it, and buttons that lead to what is to be tried."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from encoder.teach.story import tour
from pages.ui import session
from pages.ui.refusals import told
from pages.ui.server import cost_gate
from pages.ui.server.atlases import habits_in
from pages.ui.server.measurements import habits
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import heading, plain
from pages.ui.widgets import fold


def section(title: str, sentences: Sequence[str]) -> None:
    """A title, and an item for each sentence."""
    heading(title)
    items(sentences)


def items(sentences: Sequence[str]) -> None:
    """An item for each sentence."""
    st.markdown("\n".join(f"- {plain(one)}" for one in sentences))


def draw() -> None:
    """What kind of model it is and what its heads do, side by side; below it what to try."""
    encoder, trace = session.text_encoder(state.current().model), session.now()
    left, right = st.columns(2, gap="large")
    with left:
        section("What kind of model it is", tour.kind(encoder)[1:])
    found: tour.Habits = {}
    with right, st.container(key="tour_heads"), suppress(cost_gate.NotStarted), told():
        atlas = session.atlas()
        found = habits_in(atlas) if atlas else habits(state.current().model)
        over = atlas.card.scope if atlas else tour.MANY
        examined = tour.licences(exam) if (exam := session.exam()) else ()
        section("What its heads do", (*tour.heads(encoder, trace, found, over), *examined[:1]))
        if jobs := examined[1:]:
            fold(f"Their jobs, one by one ({len(jobs)})", "tour_jobs", lambda: items(jobs))
    heading("What to try")
    with st.container(gap="xsmall", key="tour_tries"):
        for number, one in enumerate(tour.tries(encoder, trace, found)):
            icon = page_of(one.page).icon
            st.button(plain(one.text), key=f"tour_{number}", type="tertiary", icon=icon, on_click=go, args=(one,))


def go(one: tour.Try) -> None:
    """Show what is to be tried."""
    view = state.current()
    page = page_of(one.page)
    layer, head = view.layer if one.layer is None else one.layer, view.head if one.head is None else one.head
    step = (one.step or page.opens_on) if page.parts else ""
    state.change(layer=layer, head=head, step=step, cell=None)
    for key, chosen in one.choices.items():
        state.remember(key, chosen, None)
    state.session().go_to = page.script
