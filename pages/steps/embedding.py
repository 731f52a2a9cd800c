"""Embedding: from token ids to vectors."""

from pages.ui import session, step_panel

step_panel.proof(session.now(), step_panel.draw("embedding"))
