"""One measure of every head."""

import streamlit as st

from encoder.figures.matrix import matrix
from encoder.formatting import brief
from encoder.metrics import HEAD_MEASURES, largest_cell
from pages.parts.heads.common import measured
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import head_names, layer_names, plain, say, theme


def draw() -> None:
    """The chosen measure as a picture, a row for each layer."""
    trace, view = session.now(), state.current()
    over = measured()
    found = over.heads
    tie = state.choice("measure", HEAD_MEASURES, next(iter(HEAD_MEASURES)))
    name = st.pills("Measure", list(HEAD_MEASURES), required=True, format_func=title, **tie)
    one = HEAD_MEASURES[name]
    values, layers, heads = found.measures[name].numpy(), layer_names(trace.config), head_names(trace.config)
    drawn = matrix(values, layers, heads, kind=one.kind, theme=theme())
    layer, head = largest_cell(values)
    fact = f"{one.title} is largest in L{layer}H{head}: {brief(float(values[layer, head]))}."
    chart(
        drawn,
        "measured",
        f"{fact} {one.meaning}",
        over.about,
        numbers=True,
        made=f'{over.made}.measures["{name}"]' if over.made else "",
    )
    say(fact)
    st.markdown(plain(f"{one.meaning} {over.over}"))
    if found.sentences == 1 and (view.hidden or trace.padding):
        st.caption("Measured on the whole sentence, with no token masked.")


def title(name: str) -> str:
    """What a measure is called on its button."""
    return plain(HEAD_MEASURES[name].title)
