"""Below the maps of all heads: examined, measured, compared, over a corpus, and against what really flows."""

from pages.heads import flow_section, measured, over_a_corpus
from pages.ui import session_runs
from pages.ui.picture_view import tabs

PARTS = {
    "What each head does": measured.draw_roles,
    "Measures": measured.draw_measures,
    "How alike heads are": measured.draw_likeness,
    "Inside one head": measured.draw_inside,
    "What really flows": flow_section.draw,
    "Over a corpus": over_a_corpus.draw,
}


def draw() -> None:
    """Draw the page."""
    pair = {"Between the sentences": measured.draw_between} if session_runs.now().tokenization.pair else {}
    tabs(PARTS | pair, "heads_part")
