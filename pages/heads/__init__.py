"""Below the maps of all heads: examined, measured, compared, and against what really flows."""

from pages.heads import flows, measured
from pages.ui import session
from pages.ui.widgets import tabs

PARTS = {
    "What each head does": measured.draw_roles,
    "Measures": measured.draw_measures,
    "How alike heads are": measured.draw_likeness,
    "Inside one head": measured.draw_inside,
    "What really flows": flows.draw,
}


def draw() -> None:
    """Draw the page."""
    pair = {"Between the sentences": measured.draw_between} if session.now().tokenization.pair else {}
    tabs(PARTS | pair, "heads_part")
