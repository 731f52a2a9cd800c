"""The model at a glance: what kind it is, its four figures, and where its parameters are."""

import numpy as np
import streamlit as st

from encoder.explain.cost import Part, by_kind, parameters, step_costs
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import brief, percent
from encoder.story.tour import kind
from encoder.trace.source import Source
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say, theme


def draw() -> None:
    """The model in one sentence, then the bars of its parameters beside its figures."""
    encoder, trace = session.text_encoder(state.current().model), session.now()
    parts = parameters(encoder.model)
    heading(plain(kind(encoder)[0]))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        fact = bars(parts, trace.source)
    with right:
        say(fact)
        figures(parts, trace)


def figures(parts: list[Part], trace: Trace) -> None:
    """What the model holds, and what this run did, recorded and took."""
    costs = step_costs(trace)
    with st.grid("auto", min_column_width=150):
        st.metric("Parameters", f"{brief(sum(part.counted for part in parts) / 1e6)} M")
        st.metric("Operations of this run", f"{brief(sum(cost.flops for cost in costs) / 1e9)} G")
        st.metric("Numbers recorded", f"{brief(sum(cost.new_bytes for cost in costs) / 1e6)} MB")
        st.metric("Time of this run", f"{brief(trace.seconds * 1e3)} ms")


def bars(parts: list[Part], source: Source) -> str:
    """Draw a bar for each kind of part, and return the sentence that names the largest."""
    counts = by_kind(parts)
    most = max(counts, key=lambda kind: counts[kind])
    fact = (
        f"Most parameters are in the {most}: {counts[most]:,}, {percent(counts[most] / sum(counts.values()))} of all."
    )
    drawn = token_bars({"parameters": np.array([*counts.values()])}, [*counts], title="parameters", theme=theme())
    chart(drawn, "kinds", fact, About(source=source, scope="All of its layers together"), numbers=True,
          made="by_kind(parameters(enc.model))")  # fmt: skip
    return fact
