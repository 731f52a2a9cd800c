"""Output: what comes out, and when it was settled."""

from encoder.metrics import BUNDLED
from pages.stack import alike, layers_alike, moves, nearest, shares, units, ways
from pages.ui import session
from pages.ui.refusals import parts
from pages.ui.step import panel
from pages.ui.widgets import fold

OF_WAYS, OF_SOURCES = {"move", "alike_layer", "layers_alike"}, {"units_open", "unit_token"}


def changes() -> None:
    """How the vectors change, in this sentence and over many."""
    parts(moves.draw, alike.draw, ways.draw)
    fold(f"How alike the layers are, over {BUNDLED}", "layers_alike", layers_alike.draw)


def sources() -> None:
    """What each layer adds up, and what the units behind it stand for."""
    parts(shares.draw)
    fold("Units of the feed-forward and the words they point to", "units_open", units.draw, holds={"unit_token"})


def draw() -> None:
    """Draw the page."""
    fold("The nearest words of the table", "words_open", nearest.draw, holds={"lens_token"})
    fold("How the vectors change from layer to layer", "ways_open", changes, holds=OF_WAYS)
    fold("Where vectors come from", "sources_open", sources, holds=OF_SOURCES)
    panel.proof(session.now(), panel.step_of("stack"))
