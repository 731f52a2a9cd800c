"""The story: five chapters, twelve stops, each a question to guess before this very run answers it."""

from pages.ui.lessons import story_stop


def draw() -> None:
    """Draw the page."""
    story_stop.draw()
