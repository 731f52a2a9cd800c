"""What the changes do to the guess, before any other number."""

from pages.ui import session
from pages.ui.step import guess
from pages.ui.text import heading


def draw() -> None:
    """The guess as it is now, beside what it was."""
    heading("What the model says")
    guess.large(session.now())
