"""Embedding & position: how a word becomes a vector with a place."""

from pages.parts.embedding import nearest, places
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.state.walk import OF_WORDS
from pages.ui.step import panel

step, trace, head = panel.pick("embedding"), session.now(), state.current().head
if step.name == "embedding.tokens":
    nearest.draw()
    panel.folded(trace, step, head)
else:
    panel.show(trace, step, head)
if step.name not in OF_WORDS:
    places.draw()
panel.proof(trace, step)
