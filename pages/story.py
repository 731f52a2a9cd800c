"""The story: five chapters, twelve stops, each a question to guess before this very run answers it."""

from pages.ui.lessons import story_stop
from pages.ui.widgets import apart


def draw() -> None:
    """Draw the page."""
    with apart():
        story_stop.draw()
