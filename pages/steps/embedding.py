"""Embedding: from token ids to vectors."""

from pages.ui import step_panel

step_panel.draw("embedding")
