"""Glossary: what each name means, what others call it, and where it is to be seen in this run."""

import streamlit as st

from encoder.model.steps.glossary import PLACES, Term, matches
from pages.ui import session_runs
from pages.ui.lessons import library
from pages.ui.state import session_state as state
from pages.ui.state import walk
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
                  on_click=open_lab, args=(term.lab,))  # fmt: skip
        return
    step = walk.first_of(term.steps, session_runs.now().config, state.current().layer)
    if step is None:
        st.caption("This model has no such step.")
        return
    label = f"See it live: {step.title.replace(': ', ', ')}"
    st.button(label, key=f"show_{term.name}", type="tertiary", icon=walk.page_of(step).icon,
              on_click=walk.show_step, args=(step,))  # fmt: skip


def open_lab(lab: str) -> None:
    """Go to an experiment by its name."""
    state.remember("lab", lab, "")
    library.open_labs()


def draw() -> None:
    """The search, the places, and a card for each term that fits."""
    st.markdown("**Each name in one sentence, from the token to the guess**, and where this run shows it.")
    search = st.text_input(
        "Search the terms",
        max_chars=60,
        type="search",
        live=True,
        icon=":material/search:",
        placeholder="query, softmax, hidden_size …",
        label_visibility="collapsed",
        width=360,
        **state.choice("find_term", None, ""),
    )
    tie = state.choice("term_place", list(PLACES), None)
    place = st.pills("Where in the encoder", list(PLACES), label_visibility="collapsed", **tie)
    shown = [term for term in matches(search or "") if place in (None, term.place)]
    if not shown:
        inside = f" in {place}" if place else ""
        st.info(plain(f"No term{inside} has “{search}” in its name, its meaning or its names elsewhere."))
    for title, happens in PLACES.items():
        if terms := [term for term in shown if term.place == title]:
            heading(title)
            st.caption(happens)
            with st.grid("auto", min_column_width=235):
                for term in terms:
                    card(term)
