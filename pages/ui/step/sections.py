"""Sections that several pages have: the tokens of a run, its costs, and the parts of a model."""

import html

import pandas as pd
import streamlit as st

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.explain.cost import parameters, step_costs
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from pages.ui.downloads import table as downloads
from pages.ui.text import WHOLE


def draw_tokens(trace: Trace) -> None:
    """Draw every token with its position and id; dashed boxes are tokens that the model added."""
    boxes = [box(trace, i) for i in range(len(trace.tokens))]
    st.html(f"<div class='tokens strip' role='list'>{''.join(boxes)}</div>")


def box(trace: Trace, i: int) -> str:
    """One token's box; an unknown piece also shows what was typed."""
    token, typed = trace.tokens[i], trace.tokenization.typed(i)
    word = f"{token} {typed}" if token in UNKNOWN else token
    added, second = trace.tokenization.special[i], 0 < trace.tokenization.second <= i
    kind = " class='added'" if added else " class='second'" if second else ""
    return (
        f"<div role='listitem'{kind}><bdi>{html.escape(shown(word, 24))}</bdi>"
        f"<small>{i} · id {trace.ids[i]}</small></div>"
    )


def draw_parameters(encoder: TextEncoder) -> None:
    """Draw a table of every part of a model, its formula and its count."""
    rows = [
        {"part": part.name, "formula": part.formula, "by formula": part.by_formula, "counted": part.counted}
        for part in parameters(encoder.model)
    ]
    whole = dict.fromkeys(("by formula", "counted"), WHOLE)
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="parameters", column_config=whole)


def draw_costs(trace: Trace) -> None:
    """Draw a table of every step of a run: its shape, operations, memory and time."""
    rows = [
        {
            "step": cost.step.name,
            "shape": " × ".join(cost.step.shape),
            "for this sentence": " × ".join(map(str, cost.sizes)),
            "operations": cost.flops,
            "bytes": cost.new_bytes,
            "µs": round(cost.seconds * 1e6, 1),
        }
        for cost in step_costs(trace)
    ]
    whole = dict.fromkeys(("operations", "bytes"), WHOLE)
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="steps", column_config=whole)
