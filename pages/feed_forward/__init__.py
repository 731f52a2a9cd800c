"""Feed-forward, below what the browser draws: units that no sentence wakes, and the proof."""

from pages.feed_forward import silent
from pages.ui import session
from pages.ui.step import panel


def draw() -> None:
    """Draw the page."""
    silent.draw()
    panel.proof(session.now(), panel.step_of("feed_forward"))
