"""Embedding & position: the numbers of each step, for all tokens; the browser draws what a word becomes."""

from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import panel

step, trace, head = panel.pick("embedding"), session.now(), state.current().head
panel.show(trace, step, head)
panel.proof(trace, step)
