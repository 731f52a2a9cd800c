"""The pictures of the figure, in order."""

from functools import partial

import streamlit as st

from encoder.pictures import figure_link
from encoder.pictures.figure_link import PictureAt
from encoder.pictures.paper.panel import Panel
from pages.figure import example
from pages.ui.downloads import figure
from pages.ui.picture import panel_at
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import plain


def shown() -> list[Panel]:
    """What is drawn, in order."""
    here = state.session()
    return [here.panels[at] for at in here.figure if at in here.panels]


def headline() -> str:
    """What is in the figure; while there is nothing, what stands in for it."""
    titles = [panel.title for panel in shown()]
    if len(titles) > 1:
        return f"{len(titles)} pictures, from “{titles[0]}” to “{titles[-1]}”"
    return titles[0] if titles else f"As it would be printed: {example.title().lower()}"


def draw() -> None:
    """A line for each picture: its letter, what it is, and where it came from; the link names them all."""
    here = state.session()
    state.choice("figure", None, "")
    packed = figure_link.pack(here.figure)
    figure.draw_missing(panel_at)
    state.remember(figure_link.OWN, packed, "")
    if here.figure and not packed:
        st.caption("The pictures are too many, or their sentences too long, to be part of the link.")
    for i, at in enumerate(here.figure):
        line(i, at)


def line(i: int, at: PictureAt) -> None:
    """One picture, and the buttons that move it, take it out and lead to where it stands."""
    here = state.session()
    page, panel = page_of(at.page), here.panels.get(at)
    with st.container(horizontal=True, vertical_alignment="center", key=f"panel_{i}"):
        title = panel.title if panel else f"Not drawn: {here.not_drawn.get(at, 'it is not drawn yet')}"
        st.markdown(f"**({chr(97 + i)})** {plain(title)}", width="stretch")
        button = partial(st.button, type="tertiary", args=(at,))
        button(page.title, key=f"panel_page_{i}", icon=page.icon, on_click=figure.open_page)
        button("Move up", key=f"panel_up_{i}", disabled=i == 0, on_click=figure.move)
        button("Take out", key=f"panel_out_{i}", on_click=figure.remove)
