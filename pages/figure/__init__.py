"""Figure: pictures of any page as one figure for a paper, a film for a slide, or a card to share."""

import streamlit as st

from pages.figure import film, panels, printed, share_card
from pages.ui.text import heading, plain
from pages.ui.widgets import apart, tabs


def draw() -> None:
    """Draw the page."""
    with apart():
        page, below = st.container(), st.container()
        with below:
            panels.draw()
        with page:
            heading(plain(panels.headline()))
            tabs({"Figure": printed.draw, "Film": film.draw, "Share card": share_card.draw}, "figure_part")
