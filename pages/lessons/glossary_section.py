"""Glossary: what each name means, what others call it, and where it is to be seen in this run."""

from collections.abc import Sequence

import streamlit as st

from encoder.model.steps.glossary import PLACES, TERMS, Term
from pages.ui import session_runs
from pages.ui.lessons import library
from pages.ui.state import page_steps
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, subheading


def card(term: Term) -> None:
    """A term: in words, what it means, its symbol and its other names, and the way to where it is shown."""
    with st.container(border=True, key=f"card_{term.name}", height="stretch", gap="xsmall"):
        subheading(f"{plain(term.title)} &ensp; {symbol(term)}")
        st.markdown(plain(term.meaning))
        names = {"here": term.name} | term.names
        st.caption(" · ".join(f"{where} **{plain(name)}**" for where, name in names.items()))
        way(term)


def symbol(term: Term) -> str:
    """What a term is in formulas; a size with its value in this model."""
    size = getattr(session_runs.now().config, term.name, None)
    value = f" = {size}" if isinstance(size, int) else ""
    return f"${term.symbol}{value}$" if term.symbol else ""


def way(term: Term) -> None:
    """The button that leads to where a term is shown with the numbers of this run."""
    if term.lab:
        st.button(f"Try it: {term.lab}", key=f"show_{term.name}", type="tertiary", icon=library.LABS.icon,
                  on_click=library.open_lab, args=(term.lab,))  # fmt: skip
        return
    step = page_steps.first_of(term.steps, session_runs.now().config, state.current().layer)
    if step is None:
        st.caption("This model has no such step.")
        return
    label = f"See it live: {step.title.replace(': ', ', ')}"
    st.button(label, key=f"show_{term.name}", type="tertiary", icon=page_steps.page_of(step).icon,
              on_click=page_steps.show_step, args=(step,))  # fmt: skip


def draw() -> None:
    """The places, and a card for each term."""
    st.markdown("**Each name in one sentence, from the token to the guess**, and where this run shows it.")
    tie = state.choice("term_place", list(PLACES), None)
    place = st.pills("Where in the encoder", list(PLACES), label_visibility="collapsed", **tie)
    for title, happens in PLACES.items():
        if place in (None, title):
            heading(title)
            st.caption(happens)
            cards([term for term in TERMS if term.place == title])


def cards(terms: Sequence[Term]) -> None:
    """The cards of some terms beside each other."""
    with st.grid("auto", min_column_width=235):
        for term in terms:
            card(term)
