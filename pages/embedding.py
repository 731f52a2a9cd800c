"""Embedding & position, below what the browser draws: how to check it, and its code."""

from pages.ui import session_runs
from pages.ui.step import step_panel


def draw() -> None:
    """Draw the page."""
    step_panel.proof(session_runs.now(), step_panel.step_of("embedding"))
