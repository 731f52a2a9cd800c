"""The search over all of Lessons: lessons, labs, claims, terms, and what tutorials state, each with its place."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.model.steps.glossary import matches
from encoder.pictures.labs import CLAIMS, LABS, SOURCES
from encoder.pictures.labs.trial import Claim
from encoder.pictures.link import FIELDS, from_query
from encoder.pictures.view import View
from encoder.teach.lessons.lesson import Lesson
from encoder.teach.lessons.statements import STATEMENTS, Statement
from pages.lessons import claims_section, glossary_section, lessons_section
from pages.ui.lessons import library
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.text import heading, plain

MOST = 30  # of a kind that are shown


def asked() -> str:
    """Draw the field, and return what is searched for; empty for less than two letters."""
    search: str | None = st.text_input(
        "Search lessons, labs, claims, terms and tutorials",
        max_chars=60,
        type="search",
        live=True,
        icon=":material/search:",
        placeholder="positional, softmax, hidden_size …",
        label_visibility="collapsed",
        width=360,
        **state.choice(library.FIND, None, ""),
    )
    text = (search or "").strip()
    return text if len(text) > 1 else ""


def fits(search: str, *texts: str) -> bool:
    """Whether every word that is searched for stands in the texts."""
    text = " ".join(texts).casefold()
    return all(word in text for word in search.casefold().split())


def draw(search: str) -> None:
    """Draw what fits, kind by kind."""
    lessons = [name for name, lesson in library.offered().items() if fits(search, *texts_of(lesson))]
    labs = [name for name, lab in LABS.items() if fits(search, name, lab.question)]
    claims = [claim for claim in CLAIMS if fits(search, claim.text)]
    terms = matches(search)
    statements = [statement for statement in STATEMENTS if fits(search, statement.text, statement.part)]
    if not (lessons or labs or claims or terms or statements):
        st.info(plain(f"Nothing here has “{search}” in it. Try a word of it, or another name for it."))
    section("Lessons", lessons, lessons_section.others)
    section("Labs", labs, one_by_one(draw_lab))
    section("Claims", claims, one_by_one(draw_claim))
    section("Terms", terms, glossary_section.cards)
    section("What tutorials say", statements, one_by_one(draw_statement))


def one_by_one(draw_one: Callable[[Any], None]) -> Callable[[Sequence[Any]], None]:
    """Return what draws several below each other."""

    def draw_all(results: Sequence[Any]) -> None:
        for result in results:
            draw_one(result)

    return draw_all


def texts_of(lesson: Lesson) -> list[str]:
    """All that a lesson says."""
    return [lesson.title, *(step.text for step in lesson.steps)]


def section(title: str, results: Sequence[Any], draw_some: Callable[[Sequence[Any]], None]) -> None:
    """A heading with what was found of a kind; nothing where nothing was."""
    if not results:
        return
    heading(title)
    draw_some(results[:MOST])
    if len(results) > MOST:
        st.caption(f"{len(results) - MOST} more: add a word to see them.")


def way(label: str, key: str, icon: str, on_click: Callable[..., None], *args: object) -> None:
    """The button that opens something."""
    st.button(plain(label), key=key, icon=icon, type="tertiary", on_click=on_click, args=args)


def draw_lab(name: str) -> None:
    """A lab: its question opens it."""
    way(LABS[name].question, f"found_lab_{name}", library.LABS.icon, library.open_lab, name)


def draw_claim(claim: Claim) -> None:
    """A claim: its text opens it, with its verdict."""
    way(claim.text, f"found_claim_{claim.key}", ":material/rule:", claims_section.open_claim, claim.key)


def draw_statement(statement: Statement) -> None:
    """A statement, who says it, and the way to where it is live, or why there is none."""
    number = STATEMENTS.index(statement)
    with st.container(key=f"statement_{number}", border=True):
        words, to = st.columns([4, 1], vertical_alignment="center")
        with words.container(gap="xsmall"):
            st.markdown(plain(statement.text))
            st.caption(plain(f"{SOURCES[statement.tutorial]}: {statement.part}"))
            if statement.missing:
                st.caption(plain(f"Not shown here, because {statement.missing}."))
        if not statement.missing:
            with to:
                way(*place(statement), open_statement, statement)


def place(statement: Statement) -> tuple[str, str, str]:
    """What the place of a statement is called, the key of its button, and the sign."""
    key = f"open_statement_{STATEMENTS.index(statement)}"
    if statement.lesson:
        return library.offered()[statement.lesson].title, key, library.HERE.icon
    if statement.claim:
        return "Claims", key, ":material/rule:"
    page = library.LABS if statement.lab else library.SHOWN[statement.page]
    return page.title, key, page.icon


def open_statement(statement: Statement) -> None:
    """Go to where a statement is live."""
    if statement.lesson:
        library.go(statement.lesson, 1)
    elif statement.claim:
        claims_section.open_claim(statement.claim)
    else:
        state.session().view = view_of(statement)
        if statement.lab:
            library.open_lab(statement.lab)
        else:
            state.session().go_to = library.SHOWN[statement.page].key


def view_of(statement: Statement) -> View:
    """What is on the screen then: what the statement names, and all else as it is."""
    shown, _ = from_query(statement.view, offered_models.check, names())
    named: Collection[str] = FIELDS & statement.view.keys()
    changes: dict[str, Any] = {name: getattr(shown, name) for name in named}
    if "model" in changes:
        offer = offered_models.offer(shown.model)
        changes = {"layer": offer.layer, "head": offer.head} | changes
    usual = replace(state.current(), cell=None, hidden=(), edits=(), second="", step="")
    return replace(usual, choices=shown.choices, **changes)
