"""Figure: pictures of any page as one figure for a paper, a film for a slide, or a card to share."""

import streamlit as st

from pages.figure import contents, film_section, printed
from pages.ui.picture_view import tabs
from pages.ui.text import heading, plain
from pages.ui.widgets import apart


def draw() -> None:
    """Draw the page."""
    with apart():
        page, below = st.container(), st.container()
        with below:
            contents.draw_panels()
        with page:
            heading(plain(contents.headline()))
            tabs(
                {"Figure": printed.draw_printed, "Film": film_section.draw, "Share card": printed.draw_share_card},
                "figure_part",
            )
