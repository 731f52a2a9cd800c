"""What each head adds to each token once it has been through W_O."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import brief, percent, shown
from encoder.metrics import head_outputs, head_shares, largest_cell, length
from encoder.trace import unpadded
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import head_names, heading, say, theme

STEPS = ("attention.heads", "attention.concat", "attention.output")  # where this is drawn


def draw() -> None:
    """How long each head's part of the output is at each token, and its share of the sum of all heads."""
    trace, view = session.now(), state.current()
    heads, tokens = head_names(trace.config), unpadded.tokens(trace)
    heading("What each head adds, after W_O")
    st.markdown(
        "Head h meets its own rows of W_O: the output is the sum of Z_h W_O^h over all heads, and b_O. Nothing of a "
        "head is left in place; it is spread over all dimensions and added to the others."
    )
    about = About(trace, layer=view.layer, reads=("attention.heads",))
    long = length(head_outputs(trace, view.layer)).numpy()
    h, i = largest_cell(long)
    fact = (
        f"In layer {view.layer} head {h} adds most: a vector of length {brief(float(long[h, i]))} to "
        f"“{shown(tokens[i])}” ({i}). The mean over heads and tokens is {brief(float(long.mean()))}."
    )
    chart(
        matrix(long, heads, tokens, kind="positive", theme=theme()),
        "head_lengths",
        fact,
        about,
        made=f"length(head_outputs(t, {view.layer}))",
    )
    say(fact)
    downloads.numbers("head_lengths", "head_lengths", lambda: downloads.frame(long, heads, tokens), long.shape)
    shares = head_shares(trace, view.layer).numpy()
    h, i = largest_cell(shares)
    fact = f"Head {h} makes {percent(float(shares[h, i]))} of what all heads add to “{shown(tokens[i])}” ({i}), "
    fact += f"and {int((shares < 0).sum())} of {shares.size} shares are negative."
    chart(
        matrix(shares, heads, tokens, kind="signed", theme=theme()),
        "head_shares",
        fact,
        about,
        made=f"head_shares(t, {view.layer})",
    )
    say(
        fact,
        "A share is the head's vector along the direction of the sum; over the heads, shares add up to 1, and a "
        "negative one works against the sum.",
    )
    downloads.numbers("head_shares", "head_shares", lambda: downloads.frame(shares, heads, tokens), shares.shape)
