"""Which parts of the model made the guess: the logit as a sum over the embedding, every head and every feed-forward."""

import numpy as np
import streamlit as st

from encoder.attributions.contributions import BIAS, EMBEDDING, REST, logit_attribution
from encoder.export.caption import About
from encoder.figures.charts import term_bars
from encoder.figures.matrix import matrix
from encoder.formatting import brief, shown
from encoder.metrics import largest_cell
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.step.target import pick
from pages.ui.text import head_names, heading, layer_names, say, theme


def draw() -> None:
    """The sum as a map of heads and blocks, and one head as a sum over the tokens it gathered from."""
    st.markdown(
        "The vector that makes the guess is a sum: what the embedding, every head and every feed-forward block put "
        "into it. So the logit is a sum too."
    )
    picked = pick()
    if picked is None:
        return
    target, name = picked
    trace, view = session.now(), state.current()
    config = trace.config
    found = session.measured(logit_attribution, target, (view.layer, view.head))
    values, opened = found.grid(config).numpy(), found.gathered(view.layer, view.head).numpy()
    rows, columns = layer_names(config), [*head_names(config), "feed-forward"]
    about = About(trace, reads=("mlm.logits",))
    i, j = largest_cell(np.abs(values))
    fact = f"In {rows[i]}, {columns[j]} puts in most: {brief(values[i, j])} of {brief(found.value)}."
    drawn = matrix(values, rows, columns, kind="signed", theme=theme())
    made = f"logit_attribution(enc, t, {target}).grid(t.config)"
    chart(drawn, "why_parts", f"What each part puts into {name}. {fact}", about, made=made)
    say(
        fact,
        f"With the embedding ({brief(found.of(EMBEDDING))}), the biases ({brief(found.of(BIAS))}) and rounding or "
        f"changes ({brief(found.of(REST))}) all parts add up to {brief(found.total)}, {name}.",
    )
    downloads.numbers("why_parts", "why_parts", lambda: downloads.frame(values, rows, columns), values.shape)
    st.caption(
        "Each norm divides every part by the spread that it had in this run, and the activation of the MLM head "
        "multiplies it by the factor that it had: without a part they would be others, so this is no knock-out."
    )
    heading(f"Layer {view.layer}, head {view.head}: from which tokens")
    named = [f"“{shown(token)}” ({at})" for at, token in enumerate(trace.tokens)]
    order = np.argsort(-np.abs(opened), kind="stable")
    drawn = term_bars(opened[order], [named[at] for at in order], theme())
    at = (view.layer, view.head)
    made = f"logit_attribution(enc, t, {target}, {at}).gathered{at}"
    chart(drawn, "why_head", f"What the head gathered from each token puts into {name}", about, numbers=True, made=made)
    most = int(order[0])
    say(f"What it took from {named[most]} puts in {brief(opened[most])} of the head's {brief(opened.sum())}.")
