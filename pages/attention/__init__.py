"""Attention, below its picture: what each head adds, one matrix for all heads, and the proof."""

from pages.attention import bias_table, head_outputs, one_matrix
from pages.ui import session
from pages.ui.step import panel


def draw() -> None:
    """Draw the page."""
    trace = session.now()
    head_outputs.draw()
    if trace.config.position_bias:
        bias_table.draw()
    one_matrix.draw()
    panel.proof(trace, panel.step_of("attention"))
