"""Model & cost: where the parameters are, and what this very run did, took and made."""

import streamlit as st

from encoder.explain.cost import parameters, step_costs
from encoder.formatting import brief, percent
from pages.parts.model_cost import server, shape, where
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.step import cost_tables
from pages.ui.text import heading

trace, view = session.now(), state.current()
encoder = session.text_encoder(view.model)
parts, costs = parameters(encoder.model), step_costs(trace)
total = sum(part.counted for part in parts)
block = sum(part.counted for part in parts if part.name.startswith("layers.0."))
config = trace.config

with st.grid("auto", min_column_width=150):
    st.metric("Parameters", f"{brief(total / 1e6)} M")
    st.metric("Operations of this run", f"{brief(sum(cost.flops for cost in costs) / 1e9)} G")
    st.metric("Numbers recorded", f"{brief(sum(cost.new_bytes for cost in costs) / 1e6)} MB")
    st.metric("Time of this run", f"{brief(trace.seconds * 1e3)} ms")
st.text(f"Model {trace.source.name} ({trace.source.fingerprint}), {len(trace.tokens)} tokens.")

where.draw(parts, trace.source)
shape.draw(config)

heading("Parameters, by formula and by count")
agree = all(part.by_formula == part.counted for part in parts)
st.markdown(
    f"One block holds {block:,} parameters; 12 d_model² is {12 * config.d_model**2:,}, "
    f"{percent(abs(block - 12 * config.d_model**2) / block)} away. "
    f"Formula and count **{'agree for every part' if agree else 'do not agree'}**."
)
cost_tables.of_parameters(encoder)

heading("Every step of this run")
st.markdown(
    "An addition, multiplication, comparison, exponential or root counts as one operation. "
    "A step of 0 bytes hands on memory of an earlier one. "
    "The time is this run's own, from the step before; the first run of a session is slower than the next."
)
cost_tables.of_steps(trace)

server.draw()
