"""More of Compare, which the browser draws: how far two runs are apart, a word in many sentences, patches, a cosine."""

from pages.compare import alike, one_word, patch, two_runs
from pages.ui.widgets import tabs

PARTS = {
    "Two runs": two_runs.draw,
    "One word in many sentences": one_word.draw,
    "Patch": patch.draw,
    "Alike?": alike.draw,
}


def draw() -> None:
    """Draw the page."""
    tabs(PARTS, "compare_part")
