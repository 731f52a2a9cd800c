"""Lessons on their shelves, with claims to judge; each lab and each claim alone."""

import streamlit as st

from pages.lessons import claim_view, lab_view, lesson_list
from pages.ui.frame.page_header import page_header
from pages.ui.lessons import library
from pages.ui.state.site import page_of
from pages.ui.text import plain


def draw() -> None:
    """Draw the page."""
    here = page_of(library.HERE)
    lab, claim = library.lab_of(here), library.claim_of(here)
    if lab is not None:
        draw_top(lab.question)
        lab_view.draw(lab)
    elif claim is not None:
        draw_top(claim.text)
        claim_view.draw(claim)
    else:
        lesson_list.draw()


def draw_top(title: str) -> None:
    """Draw what is asked, and the way back to the list."""
    page_header(plain(title))
    with st.container(horizontal=True):
        st.button("← All lessons", key="all_lessons", type="tertiary", on_click=library.show_list)
