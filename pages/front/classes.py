"""A class on a page that the browser draws: its strip is above, and a pupil's picture shows what the teacher's does.

Imported only for a screen that has to do with a class: it needs the libraries.
"""

from dataclasses import replace
from typing import TypeGuard

import streamlit as st

from encoder.errors import EncoderError
from encoder.pictures.link import FIELDS, from_query
from encoder.pictures.steps import KNOWN_STEPS
from encoder.pictures.view import View
from pages.front import below
from pages.ui import session, style
from pages.ui.component import draw_scripts
from pages.ui.frame import run
from pages.ui.live import follow, seat, strip
from pages.ui.live.classroom import Now
from pages.ui.live.follow import query_of
from pages.ui.live.strip import veils
from pages.ui.refusals import told
from pages.ui.server import consent, job_queue, models
from pages.ui.state import session_state as state
from pages.ui.state import walk
from pages.ui.state.site import Page
from pages.ui.text import plain

__all__ = ["begin", "end", "followed", "veils"]


def begin(page: Page, chosen: dict[str, str] | None) -> Now | None:
    """Take a seat that is asked for, go where the class is, and draw the strip, and the veil where there is one.

    `chosen` is what a teacher's browser shows, as an address spells it; None where it has not said so yet.
    """
    here = state.session()
    seat.take_asked()
    now = follow.take(page)
    if here.view is None:
        here.view = view_of(chosen or (query_of(now) if follows(now) else st.query_params.to_dict()))
    walk.resume()
    if veils(now) or not below.is_wanted(page):
        style.draw()
        draw_scripts()
    with st.container(key="class_above"), job_queue.refused(), told():
        if here.notes:
            st.warning(plain("  \n".join(here.notes)))
            here.notes.clear()
        if state.has("class_ask") and state.value("class_ask"):
            read()
        strip.draw(page, now)
        if veils(now):
            strip.veil()
    return now


def view_of(query: dict[str, str]) -> View:
    """Return what the browser shows as the server's own code is asked about it; what is wrong in it is left out."""
    view, _ = from_query({name: query[name] for name in query.keys() & FIELDS}, at_hand, KNOWN_STEPS)
    return replace(view, choices=(("ask_word", query["word"]),) if "word" in query else ())


def at_hand(name: str) -> None:
    """Check that a model takes no more than a moment to load.

    Raises:
        EncoderError: there is none of that name, or it takes longer.
    """
    models.check(name)
    if not session.is_loaded(name) and models.seconds(name) > consent.UNASKED:
        raise EncoderError("it takes long to load")


def read() -> None:
    """Have the model read the sentence of the view, so that the class can be asked about its run."""
    here, encoder = state.session(), run.loaded()
    view = state.current()
    pieces = encoder.tokenize((view.sentence, view.second) if view.second else view.sentence)
    here.view, _ = view.within(encoder.config, len(pieces.ids))
    here.read = pieces.inputs


def followed(page: Page, now: Now | None) -> dict[str, object] | None:
    """Return what the browser of a pupil is to show, and the number of it; None where that is its own affair."""
    if not follows(now) or now.shown.get("page") != page.key:
        return None
    return {"number": now.counts.shown, "query": query_of(now)}


def follows(now: Now | None) -> TypeGuard[Now]:
    """Return whether this is the screen of a pupil who sees what the teacher shows."""
    mine = state.session().seat
    return now is not None and mine is not None and mine.follows and not mine.leads


def end(page: Page, chosen: dict[str, str] | None) -> None:
    """End a run: a teacher's screen tells the class what it shows."""
    follow.settle(page, chosen)
