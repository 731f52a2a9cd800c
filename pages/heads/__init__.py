"""Below the maps of all heads: examined, measured, compared, and against what really flows."""

from pages.heads import between, flows, inside, likeness, measures, roles
from pages.ui import session
from pages.ui.widgets import tabs

PARTS = {
    "What each head does": roles.draw,
    "Measures": measures.draw,
    "How alike heads are": likeness.draw,
    "Inside one head": inside.draw,
    "What really flows": flows.draw,
}


def draw() -> None:
    """Draw the page."""
    pair = {"Between the sentences": between.draw} if session.now().tokenization.pair else {}
    tabs(PARTS | pair, "heads_part")
