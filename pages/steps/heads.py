"""All heads: every head of every layer at once, measured, labelled and compared."""

from pages.parts.heads import between, every_map, inside, likeness, measures, roles
from pages.ui import session
from pages.ui.widgets import tabs

PARTS = {
    "Maps": every_map.draw,
    "Measures": measures.draw,
    "What each head does": roles.draw,
    "How alike heads are": likeness.draw,
    "Inside one head": inside.draw,
}
if session.now().tokenization.pair:
    PARTS["Between the sentences"] = between.draw
tabs(PARTS, "heads_part")
