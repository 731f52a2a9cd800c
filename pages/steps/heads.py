"""All heads: every head of every layer at once, measured, examined, compared, and against what really flows."""

from pages.parts.heads import between, every_map, flows, inside, likeness, measures, roles
from pages.ui import session
from pages.ui.widgets import tabs

PARTS = {
    "Maps": every_map.draw,
    "Measures": measures.draw,
    "What each head does": roles.draw,
    "How alike heads are": likeness.draw,
    "Inside one head": inside.draw,
    "What really flows": flows.draw,
}
if session.now().tokenization.pair:
    PARTS["Between the sentences"] = between.draw
tabs(PARTS, "heads_part")
