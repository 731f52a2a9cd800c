"""How much of its weight each head sends from one sentence of a pair to the other."""

import streamlit as st

from encoder.figures.matrix import matrix
from encoder.formatting import percent
from encoder.metrics import WAYS, largest_cell, segment_mass
from pages.parts.heads.common import every_weight
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import arrow, head_names, layer_names, say, theme


def draw() -> None:
    """One way between the sentences for every head."""
    trace = session.now()
    tie = state.choice("pair_way", WAYS, "A->B")
    way = st.pills("From sentence to sentence", list(WAYS), required=True, format_func=arrow, **tie)
    mass = segment_mass(trace)[:, :, *WAYS[way]].numpy()
    layer, head = largest_cell(mass)
    most = percent(float(mass[layer, head]))
    fact = f"Head {head} of layer {layer} sends most: {most} of its weight, {arrow(way)}."
    drawn = matrix(mass, layer_names(trace.config), head_names(trace.config), kind="share", theme=theme())
    chart(
        drawn,
        "between",
        fact,
        every_weight(trace),
        numbers=True,
        made=f"segment_mass(t)[:, :, {WAYS[way][0]}, {WAYS[way][1]}]",
    )
    say(fact, f"The mean over all heads is {percent(float(mass.mean()))}.")
