"""Padding with the mask, and with the mask forgotten."""

import math

import streamlit as st

from encoder.errors import EncoderError
from encoder.experiments import hidden_row, padding
from encoder.export.caption import UNCHANGED, About, quoted
from encoder.figures.charts import token_bars
from encoder.figures.matrix import matrix
from encoder.formatting import percent
from pages.parts.labs import batch
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import head_names, layer_names, plain, say, theme


def draw() -> None:
    """A short sentence padded to the length of the one in the sidebar; and a row with every key hidden."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    st.markdown(
        "In a batch the shorter sentence is filled up with [PAD]. What if the mask that hides [PAD] is forgotten?"
    )
    short_text = st.text_input("Short sentence", max_chars=200, **state.choice("pad_short", None, "The cat sleeps."))
    try:
        found = padding(encoder, short_text, trace.text)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    batch.shapes(found, trace.tokens)
    say(
        f"With the mask the short sentence has the vectors that it has alone, up to {float(found.masked.max()):.1e}; "
        f"with the mask forgotten they are up to {float(found.forgotten.max()):.3g} away."
    )
    scope = f"{quoted(short_text)} padded to the length of {quoted(trace.text)}, {UNCHANGED}"
    about = About(source=encoder.source, scope=scope)
    both = {"masked": found.masked.numpy(), "mask forgotten": found.forgotten.numpy()}
    bars = token_bars(both, list(found.tokens[: found.n]), title="largest difference", theme=theme())
    chart(
        bars,
        "pads",
        "Difference from the run alone, per token",
        about,
        numbers=True,
        made=f"padding(enc, {short_text!r}, {trace.text!r}).masked",
    )
    layers, heads = layer_names(trace.config), head_names(trace.config)
    drawn = matrix(found.forgotten_leak.numpy(), layers, heads, kind="share", theme=theme())
    fact = f"Forgotten, [PAD] takes {percent(float(found.forgotten_leak.mean()))} of all weight on average; masked, 0."
    chart(
        drawn,
        "leak",
        f"Share of the weight that goes to [PAD], head by head. {fact}",
        about,
        numbers=True,
        made=f"padding(enc, {short_text!r}, {trace.text!r}).forgotten_leak",
    )
    say(fact)
    batch.pictures(found, about, f"padding(enc, {short_text!r}, {trace.text!r})")
    st.markdown("And if every key of a row is masked?")
    lost, even = hidden_row(-math.inf), hidden_row(-1e9)
    say(
        f"With minus infinity the row is 0/0, not a number, and {lost.lost[-1]} of {len(lost.weights)} tokens are lost "
        f"in the end; with -1e9 the row is even: {percent(float(even.weights[-1, 0]))} for each token it must not see."
    )
