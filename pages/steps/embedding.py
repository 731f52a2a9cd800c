"""Embedding: from token ids to vectors."""

from pages.parts.embedding import nearest
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import panel

step, trace = panel.pick("embedding"), session.now()
nearest.draw()
panel.show(trace, step, state.current().head)
panel.proof(trace, step)
