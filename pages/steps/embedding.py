"""Embedding: from token ids to vectors."""

from pages.ui import session
from pages.ui.step import panel

panel.proof(session.now(), panel.draw("embedding"))
