"""Attention, below its picture: each step as a picture to keep, what the heads bring together, and the proof."""

from encoder.steps.step import PAIRS
from pages.parts.attention import (
    bias_table,
    every_head,
    head_outputs,
    one_matrix,
    one_pair,
    taken,
    through_heads,
)
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import panel, words_only

step = panel.pick("attention")
trace, view = session.now(), state.current()
panel.show(trace, step, view.head)
if step.local in bias_table.STEPS:
    bias_table.draw()
if step.local in one_matrix.STEPS:
    one_matrix.draw()
if step.local == "attention.heads":
    taken.draw()
if step.local in through_heads.STEPS:
    through_heads.draw()
if step.local in head_outputs.STEPS:
    head_outputs.draw()
if step.shape != PAIRS:
    words_only.choose()
one_pair.draw()
every_head.draw()
panel.proof(trace, step)
