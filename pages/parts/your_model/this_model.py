"""The tour of a model: sentences about it, and buttons that lead to what is to be tried."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from encoder.story import tour
from pages.ui import session
from pages.ui.refusals import told
from pages.ui.server import consent
from pages.ui.server.atlases import habits_in
from pages.ui.server.measurements import habits
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.state.walk import PAGE_OF
from pages.ui.text import heading, plain


def section(title: str, sentences: Sequence[str]) -> None:
    """A title, and an item for each sentence."""
    heading(title)
    st.markdown("\n".join(f"- {plain(one)}" for one in sentences))


def draw() -> None:
    """What kind of model it is and what its heads do, side by side; below it what to try."""
    encoder, trace = session.text_encoder(state.current().model), session.now()
    left, right = st.columns(2, gap="large")
    with left:
        section("What kind of model it is", tour.kind(encoder)[1:])
    found: tour.Habits = {}
    with right, st.container(key="tour_heads"), suppress(consent.NotStarted), told():
        atlas = session.atlas()
        found = habits_in(atlas) if atlas else habits(state.current().model)
        over = atlas.card.scope if atlas else tour.MANY
        section("What its heads do", tour.heads(encoder, trace, found, over, session.exam()))
    heading("What to try")
    for number, one in enumerate(tour.tries(encoder, trace, found)):
        page = page_of(one.page)
        with st.container(horizontal=True, vertical_alignment="center", border=True, key=f"tour_try_{number}"):
            st.markdown(plain(one.text), width="stretch")
            st.button(page.title, key=f"tour_{number}", icon=page.icon, on_click=go, args=(one,))


def go(one: tour.Try) -> None:
    """Show what is to be tried."""
    view = state.current()
    page = page_of(one.page)
    layer, head = view.layer if one.layer is None else one.layer, view.head if one.head is None else one.head
    step = (one.step or page.opens_on) if page in PAGE_OF.values() else ""
    state.change(layer=layer, head=head, step=step, cell=None)
    for key, chosen in one.choices.items():
        state.remember(key, chosen, None)
    state.session().go_to = page.script
