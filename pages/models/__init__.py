"""Models: which model this is, what it costs, and the ways to another one."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.cost import Depth, Part, depths, hyperparameters, parameters, step_costs
from encoder.explain.kind import kind
from encoder.model.config import EncoderConfig
from encoder.pictures.registry.model_parts import KINDS
from encoder.support.formatting import brief, percent, short
from encoder.trace.trace import Trace
from pages.models import another_model
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.frame.page_header import page_header
from pages.ui.picture_view import show, tabs
from pages.ui.state import session_state as state
from pages.ui.step import sections
from pages.ui.text import WHOLE, heading, plain, say
from pages.ui.widgets import apart, fold


def draw() -> None:
    """Draw the page."""
    with apart():
        draw_glance()
        tabs({"This model": draw_this_model, "Cost": draw_cost, "Another model": another_model.draw}, "models_part")


def draw_glance() -> None:
    """The model in one sentence, then the bars of its parameters beside its figures."""
    encoder, trace = session_runs.text_encoder(state.current().model), session_runs.now()
    page_header(plain(kind(encoder.config, encoder.source)[0]))
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


def draw_this_model() -> None:
    """What kind of model it is."""
    encoder = session_runs.text_encoder(state.current().model)
    heading("What kind of model it is")
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in kind(encoder.config, encoder.source)[1:]))


def draw_cost() -> None:
    """The parameters, the shape and the run."""
    trace = session_runs.now()
    encoder = session_runs.text_encoder(state.current().model)
    st.text(f"Model {trace.source.name} ({trace.source.fingerprint}), {len(trace.tokens)} tokens.")
    say_count(encoder)
    fold("Every part by formula and by count", "cost_parameters", lambda: sections.draw_parameters(encoder))
    draw_shape(trace.config)
    heading("This run")
    st.markdown(
        "An addition, multiplication, comparison, exponential or root counts as one operation. "
        "A step of 0 bytes hands on memory of an earlier one. "
        "The time is this run's own, from the step before; the first run of a session is slower than the next."
    )
    fold("Every step of this run", "cost_steps", lambda: sections.draw_costs(trace))


def say_count(encoder: TextEncoder) -> None:
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


def draw_shape(config: EncoderConfig) -> None:
    """What 6, 12 and 24 layers of its width would hold, in a sentence, and two folded tables."""
    heading("The shape of this model")
    three = depths(config)
    sizes = ", ".join(f"{depth.layers} layers {short(depth.parameters / 1e6)} M" for depth in three)
    say(
        f"With d_ff = 4 d_model and all else as here: {sizes}.",
        "A block holds the same number of parameters in each; the rest is the embedding and the heads on top.",
    )
    fold("Its shape and three depths as tables", "cost_shape", lambda: tables(config, three))


def tables(config: EncoderConfig, depths: Sequence[Depth]) -> None:
    """Its hyperparameters, and what each depth would hold."""
    shape = pd.DataFrame(hyperparameters(config))
    columns = {"what": "", "name": "name", "value": "here"}
    downloads.shown_table(shape, hide_index=True, key="shape", column_config=columns)
    table = pd.DataFrame(depths).set_index("layers")
    downloads.shown_table(table, key="depths", column_config=dict.fromkeys(table.columns, WHOLE))
