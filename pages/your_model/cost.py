"""What the model holds and what this very run did and took: sentences, and the tables folded."""

import streamlit as st

from encoder.explain.cost import parameters
from encoder.support.formatting import percent
from encoder.text_encoder import TextEncoder
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import cost_tables
from pages.ui.text import heading
from pages.ui.widgets import fold
from pages.your_model import server, shape


def draw() -> None:
    """The parameters, the shape, the run and the memory of the server."""
    trace = session.now()
    encoder = session.text_encoder(state.current().model)
    st.text(f"Model {trace.source.name} ({trace.source.fingerprint}), {len(trace.tokens)} tokens.")
    count(encoder)
    fold("Every part by formula and by count", "cost_parameters", lambda: cost_tables.of_parameters(encoder))
    shape.draw(trace.config)
    heading("This run")
    st.markdown(
        "An addition, multiplication, comparison, exponential or root counts as one operation. "
        "A step of 0 bytes hands on memory of an earlier one. "
        "The time is this run's own, from the step before; the first run of a session is slower than the next."
    )
    fold("Every step of this run", "cost_steps", lambda: cost_tables.of_steps(trace))
    server.draw()


def count(encoder: TextEncoder) -> None:
    """How many parameters a block has, beside the round formula, and whether formula and count agree."""
    parts, width = parameters(encoder.model), encoder.config.d_model
    block = sum(part.counted for part in parts if part.name.startswith("layers.0."))
    agree = all(part.by_formula == part.counted for part in parts)
    heading("Parameters")
    st.markdown(
        f"One block holds {block:,} parameters; 12 d_model² is {12 * width**2:,}, "
        f"{percent(abs(block - 12 * width**2) / block)} away. "
        f"Formula and count **{'agree for every part' if agree else 'do not agree'}**."
    )
