"""Models: which model this is and what it costs, and the ways to another one."""

import pandas as pd
import streamlit as st

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.cost import FLOAT32, depths, hyperparameters, parameters, size
from encoder.explain.kind import kind, shape
from encoder.model.config import EncoderConfig
from encoder.pictures.picture import Answer
from encoder.pictures.registry.model_parts import AREAS
from encoder.support.formatting import brief, percent
from encoder.trace.trace import Trace
from pages.models import build_section, open_section, parts_section
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.frame.page_header import page_header
from pages.ui.picture_view import answer_of
from pages.ui.refusals import shows_errors
from pages.ui.state import session_state as state
from pages.ui.step import sections
from pages.ui.text import WHOLE, plain, subheading
from pages.ui.widgets import fold


def draw() -> None:
    """Draw the page."""
    encoder, trace = session_runs.text_encoder(state.current().model), session_runs.now()
    (layers, count), answer = shape(encoder.config), answer_of(AREAS)
    page_header(parts_section.headline(answer, encoder.config, len(trace.tokens)), save={answer.title: answer})
    left, right = st.columns([2, 1], gap="large")
    with left:
        draw_model(answer, encoder, trace, f"This model has {layers} and {count} parameters.")
    with right:
        for title, draw_section in (("Open another model", open_section.draw), ("Build one", build_section.draw)):
            subheading(title)
            with shows_errors():
                draw_section()
    fold("More", "models_more", lambda: draw_more(encoder, trace))


def draw_model(answer: Answer, encoder: TextEncoder, trace: Trace, size_in_words: str) -> None:
    """Its parameters and operations, its memory, and what kind of model it is."""
    n, takes = len(trace.tokens), size(encoder.config)
    parts_section.draw(answer, encoder, n)
    weights, run = (brief(count / 1e6) for count in (FLOAT32 * takes.parameters, takes.bytes_of_a_run(n)))
    st.caption(
        f"The weights take {weights} MB: {FLOAT32} bytes for each parameter. A run of this sentence, {n} tokens long, "
        f"takes {run} MB and the operations above."
    )
    st.markdown(plain(" ".join([size_in_words, *kind(encoder.config, encoder.source)])))


def draw_more(encoder: TextEncoder, trace: Trace) -> None:
    """Every part, every step, and other depths."""
    subheading("Every part by formula")
    draw_parameters(encoder)
    subheading("What every step costs")
    draw_steps(trace)
    subheading("Its shape, and 6, 12 and 24 layers of it")
    draw_shape(trace.config)


def draw_parameters(encoder: TextEncoder) -> None:
    """Every part by formula and count, and a block beside the round formula."""
    parts, width = parameters(encoder.model), encoder.config.d_model
    block = sum(part.counted for part in parts if part.name.startswith("layers.0."))
    agree = all(part.by_formula == part.counted for part in parts)
    st.markdown(
        f"One block holds {block:,} parameters; 12 d_model² is {12 * width**2:,}, "
        f"{percent(abs(block - 12 * width**2) / block)} away. "
        f"Formula and count **{'agree for every part' if agree else 'do not agree'}**."
    )
    sections.draw_parameters(encoder)


def draw_steps(trace: Trace) -> None:
    """Every step of this run."""
    st.markdown(
        "An addition, multiplication, comparison, exponential or root counts as one operation. "
        "A step of 0 bytes hands on memory of an earlier one. "
        "The time is this run's own, from the step before; the first run of a session is slower than the next."
    )
    sections.draw_costs(trace)


def draw_shape(config: EncoderConfig) -> None:
    """Its hyperparameters, and what 6, 12 and 24 layers of its width would hold."""
    decides = pd.DataFrame(hyperparameters(config))
    columns = {"what": "", "name": "name", "value": "here"}
    downloads.shown_table(decides, hide_index=True, key="shape", column_config=columns)
    st.markdown(
        "With d_ff = 4 d_model and all else as here. A block holds the same number of parameters in each; the rest is "
        "the embedding and the heads on top."
    )
    table = pd.DataFrame(depths(config)).set_index("layers")
    downloads.shown_table(table, key="depths", column_config=dict.fromkeys(table.columns, WHOLE))
