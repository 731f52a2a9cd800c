"""The headline of a page that the server draws, and what of the page Save in the bar has."""

from collections.abc import Mapping

import streamlit as st

from encoder.pictures.picture import Answer
from pages.ui.state import session_state as state
from pages.ui.text import title


def page_header(headline: str, corner: str = "", save: Mapping[str, Answer] | None = None) -> None:
    """Draw the headline of a page and a quiet word at its right, both Markdown that the caller has made plain.

    `save` are the pictures that Save in the bar offers, by their titles; the first is the one that it opens with.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="page_header"):
        title(headline.replace(" %", "\u00a0%"), wide=True)  # which are not parted at the end of a line
        if corner:
            st.caption(corner, width="content")
    state.session().pictures = dict(save or {}) | state.session().pictures
