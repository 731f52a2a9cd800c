"""Two sentences as one batch: their tokens with [PAD], their shapes, and one head's scores and weights."""

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from encoder.experiments.padding import Padding
from encoder.export.caption import About
from encoder.figures.drawn import numbers_of
from encoder.figures.masked import unmasked
from encoder.figures.matrix import matrix
from encoder.figures.steps import kind_of
from encoder.formatting import percent, shown
from encoder.trace.trace import Trace
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme

STEPS = ("attention.masked", "attention.weights")
MASK = {"with the mask": 0, "mask forgotten": 1}


def shapes(found: Padding, long: list[str]) -> None:
    """Both rows of the batch, and what it is before and after the encoder."""
    rows = [[shown(token) for token in row] for row in (found.tokens, long)]
    downloads.shown_table(pd.DataFrame(rows, index=["short", "long"]), key="batch")
    run = found.runs[0]
    n, d_model = run["output"].shape
    pads = f"{run.padding} rows of the short one are [PAD]"
    say(f"The batch goes in as (2, {n}) ids and comes out as (2, {n}, {d_model:,}): {pads}.")


def pictures(found: Padding, about: About, made: str) -> None:
    """The short sentence's masked scores and weights in the chosen layer and head, [PAD] among the columns.

    `made` is the expression that gives `found`.
    """
    view = state.current()
    heading(f"The short sentence in the batch (layer {view.layer}, head {view.head})")
    kind = st.pills("Run", list(MASK), required=True, **state.choice("pad_mask", MASK, "with the mask"))
    run, made = found.runs[MASK[kind]], f"{made}.runs[{MASK[kind]}]"
    for column, name in zip(st.columns(2), STEPS, strict=True):
        with column:
            one_step(run, f"layers.{view.layer}.{name}", view.head, kind, about, found.n, made)


def one_step(run: Trace, name: str, head: int, kind: str, about: About, n: int, made: str) -> None:
    """One head of a step as a picture."""
    step = run.step(name)
    values = unmasked(run.array(name), step, run.config)[head]
    drawn = matrix(values, run.tokens, run.tokens, kind=kind_of(step), theme=theme())
    blank = int((~np.isfinite(values)).sum())
    said = (
        f"{blank} of {values.size} scores are hidden." if step.operation == "mask" else on_padding(run, name, head, n)
    )
    fact = f"{step.title}, {kind}: {said}"
    key = f"pad_{step.local.rpartition('.')[2]}"
    chart(drawn, key, fact, about, made=f'{made}["{name}"][{head}]')
    say(fact)
    downloads.of_figure(key, numbers_of(drawn))


def on_padding(run: Trace, name: str, head: int, n: int) -> str:
    """How much weight the sentence's own tokens put on [PAD]."""
    weights: Tensor = run[name][head, :n, n:]
    return f"its {n} tokens put {percent(float(weights.sum(-1).mean()))} of their weight on [PAD]."
