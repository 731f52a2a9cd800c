"""Lessons on their shelves, with claims to judge; each lab and each claim alone."""

from pages.lessons import claim_view, lab_view, lesson_list
from pages.ui.lessons import library
from pages.ui.state.site import page_of


def draw() -> None:
    """Draw the page."""
    if lab := library.lab_of(page_of(library.HERE)):
        lab_view.draw(lab)
    elif claim := library.claim_of(page_of(library.HERE)):
        claim_view.draw(claim)
    else:
        lesson_list.draw()
