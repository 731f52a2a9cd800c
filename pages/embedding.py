"""Embedding & position, below what the browser draws: how to check it, and its code."""

from pages.ui.step import step_panel


def draw() -> None:
    """Draw the page."""
    step_panel.below("embedding")
