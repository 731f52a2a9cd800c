"""Attention: queries, keys and values, scores, weights, and what the heads bring together."""

from encoder.steps.step import PAIRS
from pages.parts.attention import every_head, scores_to_weights, taken
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import panel

step = panel.draw("attention")
trace = session.now()
if step.local == "attention.heads":
    taken.draw()
scores_to_weights.draw()
every_head.draw(step if step.shape == PAIRS else trace.step(f"layers.{state.current().layer}.attention.weights"))
panel.proof(trace, step)
