"""Pictures that are put into a figure: added under each, and drawn by the registry wherever they are asked for."""

from collections.abc import Callable, Sequence

import streamlit as st

from encoder.pictures import figure_link
from encoder.pictures.figure_link import OWN, PictureAt
from encoder.pictures.link import from_query, to_query
from encoder.pictures.paper.printed_panel import Panel, PanelError
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.state.site import KEYS, Page, page_of

HERE = page_of(OWN)
MOST_KEPT = 24  # panels of a session, in the figure or just taken out of it
FULL = f"A figure has up to {figure_link.MOST} panels; take one out first."

OF_STEPS = ("picture", "layer_step")  # pictures of a step, which the browser draws


def settle(page: Page) -> None:
    """Take over the pictures that a link to the page of the figure names; only there they are part of the link."""
    here, text = state.session(), dict(state.current().choices).get(OWN, "")
    if page != HERE:
        state.remember(OWN, "", "")
    elif here.linked and text:
        try:
            here.figure.pictures = list(figure_link.unpack(text, KEYS))
        except EncoderError as error:
            state.note([f"{error}: it begins empty."])
            state.remember(OWN, "", "")


def offer(key: str, draw: Callable[[], Panel], view: View | None = None) -> None:
    """The button that adds the picture drawn under `key`; one that is in the figure is drawn for it, by `draw`.

    `view` is what was asked of it, where that is not what is on the screen.
    """
    here = state.session()
    if here.page == HERE.key:
        return
    at = figure_link.at(here.page, key, to_query(view or state.current()))
    if at in here.figure.pictures and at not in here.figure.panels:
        take(at, draw)
    there = at in here.figure.pictures and at in here.figure.panels
    label = f"In the figure as ({chr(97 + here.figure.pictures.index(at))})" if there else "Add to figure"
    icon = ":material/open_in_new:" if there else ":material/add_photo_alternate:"
    act, given = (go, ()) if there else (add, (at,))
    st.button(label, key=f"add_{key}", type="tertiary", icon=icon, on_click=act, args=given)


def go() -> None:
    """Show the figure."""
    state.session().go_to = HERE.script


def add(at: PictureAt) -> None:
    """Put a picture into the figure; it is drawn as soon as its page is, or that of the figure."""
    here = state.session()
    if len(here.figure.pictures) >= figure_link.MOST and at not in here.figure.pictures:
        state.note([FULL])
    elif at not in here.figure.pictures:
        here.figure.pictures.append(at)
        here.figure.reasons.pop(at, None)


def fill(pictures: Sequence[PictureAt]) -> None:
    """Put several pictures into the figure."""
    for at in pictures:
        add(at)


def take(at: PictureAt, draw: Callable[[], Panel]) -> None:
    """Draw a picture that its page shows for the figure, or say why it is none for it."""
    here = state.session()
    try:
        keep(at, draw())
    except PanelError as error:
        here.figure.pictures.remove(at)
        state.note([f"This picture cannot be part of a figure: {error}."])


def keep(at: PictureAt, panel: Panel) -> None:
    """Keep what was drawn of a picture of the figure; of those that were taken out of it the oldest go."""
    here = state.session()
    here.figure.panels[at] = panel
    here.figure.reasons.pop(at, None)
    spare = [old for old in here.figure.panels if old not in here.figure.pictures]
    for old in spare[: max(0, len(here.figure.panels) - MOST_KEPT)]:
        del here.figure.panels[old]


def draw_missing(draw: Callable[[PictureAt], Panel]) -> None:
    """Draw the pictures of the figure that are still to be drawn, and say why one cannot be."""
    here = state.session()
    for at in [at for at in here.figure.pictures if at not in here.figure.panels and at not in here.figure.reasons]:
        try:
            keep(at, draw(at))
        except EncoderError as error:
            here.figure.reasons[at] = str(error).rstrip(".")


def remove(at: PictureAt) -> None:
    """Take a picture out of the figure."""
    here = state.session()
    here.figure.pictures = [other for other in here.figure.pictures if other != at]
    here.figure.panels.pop(at, None)


def move(at: PictureAt) -> None:
    """Exchange a picture with the one before it."""
    order = state.session().figure.pictures
    i = order.index(at)
    if i > 0:
        order[i - 1], order[i] = order[i], order[i - 1]


def view_of(at: PictureAt) -> View:
    """The view that shows a picture."""
    return from_query(dict(at.query), offered_models.check, names())[0]


def open_page(at: PictureAt) -> None:
    """Show a picture where it stands."""
    here = state.session()
    here.figure.reasons.pop(at, None)
    here.view, here.go_to, here.opens_more = view_of(at), page_of(at.page).script, at.key not in OF_STEPS
    state.forget_widgets()
