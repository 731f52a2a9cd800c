"""What the division by sqrt(d_head) is for."""

import numpy as np
import streamlit as st

from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import lines
from encoder.figures.matrix import matrix
from encoder.formatting import brief, percent
from encoder.metrics import largest_cell
from pages.parts.labs import slopes
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import head_names, layer_names, say, theme

RANDOM = About(scope="random queries and keys, seed 0")


def draw() -> None:
    """Random queries and keys of growing width, and then the heads of the model."""
    st.markdown("Why divide by √d_head? Random queries and keys of growing width, and then the heads of this model.")
    of_random_numbers()
    slopes.draw()
    of_the_model()


def of_random_numbers() -> None:
    """How dot products spread with d_head, and what softmax makes of them."""
    widths = session.lab("dot_products")
    x = np.array([w.d_head for w in widths])
    measured = {"measured": np.array([w.deviation for w in widths]), "√d_head": np.array([w.predicted for w in widths])}
    drawn = lines(measured, x, ("d_head", "standard deviation of q · k"), logarithmic=(True, True), theme=theme())
    chart(
        drawn,
        "deviation",
        "The spread of dot products grows with the square root of the width",
        RANDOM,
        numbers=True,
        made="[one.deviation for one in dot_products()]",
    )
    spread = {
        "divided": np.array([w.with_entropy for w in widths]),
        "not divided": np.array([w.without_entropy for w in widths]),
    }
    drawn = lines(spread, x, ("d_head", "normalized entropy"), logarithmic=(True, False), theme=theme())
    chart(
        drawn,
        "spread",
        "Entropy of the weights with and without the division",
        RANDOM,
        numbers=True,
        made="[one.with_entropy for one in dot_products()]",
    )
    last = widths[-1]
    say(
        f"At d_head = {last.d_head} the largest weight is {percent(last.without_largest)} on average without the "
        f"division and {percent(last.with_largest)} with it: softmax becomes all or nothing."
    )


def of_the_model() -> None:
    """What leaving the division out does to every head on the sentence."""
    trace = session.now()
    found = session.lab("scaling", state.current().model, trace.inputs)
    layers, heads = layer_names(trace.config), head_names(trace.config)
    drawn = matrix(found.change.numpy(), layers, heads, kind="signed", theme=theme())
    about = About(source=trace.source, scope=f"{quoted(trace.inputs)}, {UNCHANGED} besides the division")
    values = found.change.numpy()
    i, j = largest_cell(np.abs(values))
    fact = (
        "In this model, on this sentence, leaving it out changes a head's normalized entropy by "
        f"{brief(float(values.mean()))} on average, most in {layers[i]}, {heads[j]}, by {brief(float(values[i, j]))}."
    )
    chart(drawn, "scaling_heads", fact, about, numbers=True, made=f"scaling(enc, {trace.inputs!r}).change")
    say(fact)
