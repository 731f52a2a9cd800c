"""Lessons: small experiments, each with a prediction and a number measured on the spot; labs, claims, terms."""

from pages.lessons import claims_section, glossary_section, labs_section, lessons_section, search_section
from pages.ui.frame.page_header import page_header
from pages.ui.lessons import library
from pages.ui.picture_view import tabs


def draw() -> None:
    """Draw the page."""
    page_header(f"{len(library.offered())} lessons: guess first, then see what this model does")
    if search := search_section.asked():
        search_section.draw(search)
    else:
        parts = {
            "Lessons": lessons_section.draw,
            "Labs": labs_section.draw,
            "Claims": claims_section.draw,
            "Glossary": glossary_section.draw,
        }
        tabs(parts, library.PART)
