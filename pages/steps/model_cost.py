"""Model & cost: where the parameters are, and what this very run did, took and made."""

import pandas as pd
import streamlit as st

from encoder.explain.cost import parameters, step_costs
from encoder.formatting import brief, percent
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import WHOLE

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

st.header("Parameters, by formula and by count")
agree = all(part.by_formula == part.counted for part in parts)
st.markdown(
    f"One block holds {block:,} parameters; 12 d_model² is {12 * config.d_model**2:,}, "
    f"{percent(abs(block - 12 * config.d_model**2) / block)} away. "
    f"Formula and count **{'agree for every part' if agree else 'do not agree'}**."
)
st.dataframe(
    pd.DataFrame(
        [{"part": p.name, "formula": p.formula, "by formula": p.by_formula, "counted": p.counted} for p in parts]
    ),
    hide_index=True,
    key="parameters",
    column_config=dict.fromkeys(("by formula", "counted"), WHOLE),
)

st.header("Every step of this run")
st.markdown(
    "An addition, multiplication, comparison, exponential or root counts as one operation. "
    "A step of 0 bytes hands on memory of an earlier one. "
    "The time is this run's own, from the step before; the first run of a session is slower than the next."
)
rows = [
    {
        "step": cost.step.name,
        "shape": " × ".join(cost.step.shape),
        "for this sentence": " × ".join(map(str, cost.sizes)),
        "operations": cost.flops,
        "bytes": cost.new_bytes,
        "µs": round(cost.seconds * 1e6, 1),
    }
    for cost in costs
]
table = pd.DataFrame(rows)
st.dataframe(table, hide_index=True, key="steps", column_config=dict.fromkeys(("operations", "bytes"), WHOLE))
downloads.save("csv_steps", "steps", table)
