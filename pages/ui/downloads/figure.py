"""Pictures that are put into a figure: added under each, drawn where they stand, and fetched again for a link."""

from collections.abc import Callable

import streamlit as st

from encoder.errors import EncoderError
from encoder.paper.panel import Panel, PanelError
from encoder.pictures import figure_link
from encoder.pictures.figure_link import OWN, PictureAt
from encoder.pictures.link import from_query, to_query
from encoder.pictures.steps import KNOWN_STEPS
from encoder.pictures.view import View
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.state.site import KEYS, Page, page_of

HERE = page_of(OWN)
MOST_KEPT = 24  # panels of a session, in the figure or just taken out of it
FULL = f"A figure has up to {figure_link.MOST} panels; take one out first."


def settle(page: Page) -> None:
    """Take over the pictures that a link to the page of the figure names; only there they are part of the link."""
    here, asked = state.session(), dict(state.current().choices).get(OWN, "")
    if page != HERE:
        state.remember(OWN, "", "")
    elif here.linked and asked:
        try:
            here.figure = list(figure_link.unpack(asked, KEYS))
        except EncoderError as error:
            state.note([f"{error}: it begins empty."])
            state.remember(OWN, "", "")


def offer(key: str, make: Callable[[], Panel]) -> None:
    """The button that adds the picture drawn under `key`; one that is in the figure is drawn for it, by `make`."""
    here = state.session()
    if here.page == HERE.key:
        return
    at = figure_link.at(here.page, key, to_query(state.current()))
    if at in here.figure and at not in here.panels:
        take(at, make)
    there = at in here.figure and at in here.panels
    label = f"In the figure as ({chr(97 + here.figure.index(at))})" if there else "Add to figure"
    icon = ":material/open_in_new:" if there else ":material/add_photo_alternate:"
    act, given = (go, ()) if there else (add, (at,))
    st.button(label, key=f"add_{key}", type="tertiary", icon=icon, on_click=act, args=given)


def go() -> None:
    """Show the figure."""
    state.session().go_to = HERE.script


def add(at: PictureAt) -> None:
    """Put a picture into the figure; it is drawn as soon as its page is."""
    here = state.session()
    if len(here.figure) >= figure_link.MOST and at not in here.figure:
        state.note([FULL])
    elif at not in here.figure:
        here.figure.append(at)
        here.not_drawn.pop(at, None)


def fill(pictures: list[PictureAt]) -> None:
    """Put several pictures into the figure; they are drawn when the page of the figure is."""
    for at in pictures:
        add(at)


def take(at: PictureAt, make: Callable[[], Panel]) -> None:
    """Draw a picture for the figure, or say why it is none for it."""
    here = state.session()
    try:
        here.panels[at] = make()
    except PanelError as error:
        here.not_drawn[at] = str(error)
        if not here.to_draw:
            here.figure.remove(at)
            state.note([f"This picture cannot be part of a figure: {error}."])
        return
    here.not_drawn.pop(at, None)
    spare = [old for old in here.panels if old not in here.figure]
    for old in spare[: max(0, len(here.panels) - MOST_KEPT)]:
        del here.panels[old]


def remove(at: PictureAt) -> None:
    """Take a picture out of the figure."""
    here = state.session()
    here.figure = [one for one in here.figure if one != at]
    here.panels.pop(at, None)


def move(at: PictureAt) -> None:
    """Exchange a picture with the one before it."""
    order = state.session().figure
    i = order.index(at)
    if i > 0:
        order[i - 1], order[i] = order[i], order[i - 1]


def missing() -> list[PictureAt]:
    """The pictures that are still to be drawn, but for those that could not be."""
    here = state.session()
    return [at for at in here.figure if at not in here.panels and at not in here.not_drawn]


def fetch(pictures: list[PictureAt]) -> None:
    """Have pages draw pictures, one after the other; then the view is as it was."""
    here = state.session()
    here.before_drawing, here.to_draw = state.current(), list(pictures)
    turn()


def go_on() -> None:
    """Go to the page of the next picture that is to be drawn, or back. After a page was drawn."""
    here = state.session()
    if not here.to_draw:
        return
    at = here.to_draw.pop(0)
    if at not in here.panels:
        here.not_drawn.setdefault(at, "its page does not show it by itself; open it there")
    turn()


def turn() -> None:
    """Show the page of the next picture, or the one where they were asked for."""
    here = state.session()
    if here.to_draw:
        here.view, here.go_to = view_of(here.to_draw[0]), page_of(here.to_draw[0].page).script
    else:
        here.view, here.go_to, here.before_drawing = here.before_drawing, HERE.script, None
    state.forget_widgets()
    st.rerun()


def view_of(at: PictureAt) -> View:
    """The view that shows a picture."""
    return from_query(dict(at.query), models.check, KNOWN_STEPS, names())[0]


def open_page(at: PictureAt) -> None:
    """Show a picture where it stands."""
    here = state.session()
    here.not_drawn.pop(at, None)
    here.view, here.go_to = view_of(at), page_of(at.page).script
    state.forget_widgets()
