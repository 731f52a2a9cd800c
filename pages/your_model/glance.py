"""The model at a glance: what kind it is, its four figures, and where its parameters are."""

import streamlit as st

from encoder.explain.cost import Part, parameters, step_costs
from encoder.pictures.registry.models import KINDS
from encoder.support.formatting import brief
from encoder.teach.story.tour import kind
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.picture import show
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say


def draw() -> None:
    """The model in one sentence, then the bars of its parameters beside its figures."""
    encoder, trace = session.text_encoder(state.current().model), session.now()
    heading(plain(kind(encoder)[0]))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        answer = show(KINDS, sentence=False, numbers=False)
    with right:
        say(answer.sentence)
        figures(parameters(encoder.model), trace)


def figures(parts: list[Part], trace: Trace) -> None:
    """What the model holds, and what this run did, recorded and took."""
    costs = step_costs(trace)
    with st.grid("auto", min_column_width=150):
        st.metric("Parameters", f"{brief(sum(part.counted for part in parts) / 1e6)} M")
        st.metric("Operations of this run", f"{brief(sum(cost.flops for cost in costs) / 1e9)} G")
        st.metric("Numbers recorded", f"{brief(sum(cost.new_bytes for cost in costs) / 1e6)} MB")
        st.metric("Time of this run", f"{brief(trace.seconds * 1e3)} ms")
