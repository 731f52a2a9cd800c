"""Lessons on their shelves, with claims to judge, and each lab alone."""

from pages.lessons import lab_view, lesson_list
from pages.ui.lessons import library
from pages.ui.state.site import page_of


def draw() -> None:
    """Draw the page."""
    if lab := library.lab_of(page_of(library.HERE)):
        lab_view.draw(lab)
    else:
        lesson_list.draw()
