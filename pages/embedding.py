"""Embedding & position, below what the browser draws: how to check it, and its code."""

from pages.ui import session
from pages.ui.step import panel


def draw() -> None:
    """Draw the page."""
    panel.proof(session.now(), panel.step_of("embedding"))
