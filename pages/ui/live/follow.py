"""What a class shows: the teacher's screen says it, and the screens of those who follow take it over."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

import streamlit as st

from encoder.pictures.link import from_query, to_query
from encoder.pictures.steps import KNOWN_STEPS
from encoder.pictures.view import View
from pages.ui.live import push
from pages.ui.live import seat as seats
from pages.ui.live.classroom import ClassError, GoneError, Now, classroom
from pages.ui.live.store import StoreError
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.state.site import DRAWN, PAGES, Page

EVERY = 1.0  # seconds between two looks at the class
SHOWN = {page.key: page for page in PAGES if page != seats.HERE}


@contextmanager
def reaching() -> Iterator[None]:
    """Where the class is over, or its store cannot be reached, say so, and go on after the block."""
    here = state.session()
    try:
        yield
        here.class_reached = True
    except GoneError:
        seats.leave()
        state.note([seats.OVER])
    except StoreError:
        here.class_reached = False
    except ClassError as error:
        state.note([f"The class: {error}."])


def take(page: Page) -> Now | None:
    """What the class shows and asks now; who follows goes where it is. Before anything is drawn."""
    found, here = taken(page), state.session()
    push.takes(here.seat, here.class_counts if here.class_reached else None)
    return found


def taken(page: Page) -> Now | None:
    """The same, for a screen that is in a class."""
    here, found = state.session(), None
    with reaching():
        if here.seat is not None:
            found = classroom().now(here.seat.code)
    if here.seat is None or found is None:
        return None
    if here.seat.leads:
        here.class_counts = found.counts._replace(shown=here.class_counts.shown)
        return found
    if moved(page):
        here.seat = here.seat.alone()
    if here.seat.follows and found.counts.shown != here.class_counts.shown:
        show(found, page)
    here.class_counts = found.counts
    return found


def moved(page: Page) -> bool:
    """Whether who follows has gone elsewhere since."""
    return state.session().class_view not in (None, standing(page))


def standing(page: Page, chosen: dict[str, str] | None = None) -> tuple[str, View | dict[str, str] | None]:
    """Return where a screen is: its page and view, or what the browser says of a page that it draws itself."""
    return page.key, chosen if page.key in DRAWN else state.session().view


def query_of(now: Now) -> dict[str, str]:
    """Return the parameters of the address of what the teacher shows."""
    return {name.removeprefix("q:"): text for name, text in now.shown.items() if name.startswith("q:")}


def show(now: Now, page: Page) -> None:
    """Show what the teacher shows, as far as this server has it."""
    here, to, query = state.session(), SHOWN.get(now.shown.get("page", "")), query_of(now)
    if to is None:
        return
    if to.key in DRAWN:
        here.class_view = None
        if to != page:
            st.switch_page(to.script, query_params=query)
        return
    view, notes = from_query(query, models.check, KNOWN_STEPS, names())
    here.view = replace(view, present=here.view is not None and here.view.present)
    here.linked, here.class_view = True, None
    chosen = dict(view.choices)
    state.show(**{name: usual for name, usual in here.defaults.items() if name not in chosen and state.has(name)})
    state.note(notes)
    if to != page:
        here.go_to = to.script


def settle(page: Page, chosen: dict[str, str] | None = None) -> None:
    """At the end of a run the teacher's screen says what it shows; who follows remembers what came of that.

    `chosen` are the parameters of the address of what the browser shows, where it draws the page and has said so.
    """
    here = state.session()
    tell(page, chosen)
    if here.seat is not None and not here.class_reached:
        push.takes(here.seat, None)  # and tell it again as soon as the class can be reached
    push.done()


def tell(page: Page, chosen: dict[str, str] | None) -> None:
    """The same, without the note for the thread that runs screens."""
    here = state.session()
    if here.seat is None:
        return
    if here.seat.leads:
        at = standing(page, chosen)
        if page.key in SHOWN and at[1] is not None and at != here.class_view:
            query = at[1] if isinstance(at[1], dict) else to_query(replace(at[1], present=False))
            with reaching():
                classroom().show(here.seat, page.key, query)
                here.class_view = at
    elif here.seat.follows:
        if moved(page) and not here.go_to:
            here.seat = here.seat.alone()
            st.rerun()
        here.class_view = standing(page)


def back() -> None:
    """Go back to what the class sees."""
    here = state.session()
    if here.seat is not None:
        here.seat, here.class_counts, here.class_view = here.seat.following(), here.class_counts._replace(shown=0), None


@st.fragment(run_every=EVERY)
def watch() -> None:
    """Look at the class now and then, where no other thread does; the page runs only where something has changed."""
    here = state.session()
    if here.seat is None:
        return
    try:
        found = classroom().counts(here.seat.code)
        if monotonic() - here.class_heard > push.HEARD:
            classroom().here(here.seat)
            here.class_heard = monotonic()
    except StoreError:
        if here.class_reached:
            st.rerun()
        return
    screen = push.Screen(here.seat, here.class_counts if here.class_reached else None)
    if found is None or screen.behind(found):
        st.rerun()
