"""All heads of one layer as small maps."""

import streamlit as st

from encoder.export.caption import About
from encoder.metrics import tokens_drawn
from encoder.pictures.view import Cell
from encoder.steps.step import Step
from pages.parts.attention.common import as_map
from pages.ui import session
from pages.ui.components import maps
from pages.ui.state import session_state as state
from pages.ui.step import opened, words_only
from pages.ui.text import heading, plain, theme


def draw(step: Step) -> None:
    """A step with a matrix for each head; a click shows that head."""
    trace, view = session.now(), state.current()
    heading(f"All heads of layer {view.layer}: {step.title.lower()}")
    seen = tokens_drawn(trace, words_only.chosen())
    left_out = seen.sentence(trace.array(step.name) if step.values == "share" else None)
    heads = [as_map(trace, step, h, f"head {h}", True, seen) for h in range(trace.config.n_heads)]
    about = About.of(trace, step.name)
    pair = opened.place_in(trace, step, view.head)

    def take(head: int, row: int, column: int) -> None:
        state.change(head=head)
        opened.open_number(Cell(step.name, (head, row, column)), fresh=True)

    maps.draw(
        "heads", heads, seen.drawn, theme(), take, about, chosen=view.head, cell=pair, least=150, at=seen.at,
        left_out=left_out, made=words_only.cut(f't["{step.name}"]'),
    )  # fmt: skip
    said = plain(f"{maps.scales(heads)} {left_out}".strip())
    st.caption(f"{said} A click shows that head above and opens the number under it.")
