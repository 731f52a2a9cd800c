"""The parts that every layer adds up, as shares that sum to 1."""

import streamlit as st

from encoder.export.caption import About
from encoder.figures.drawn import numbers_of
from encoder.figures.tiles import tiles
from encoder.formatting import percent
from encoder.metrics import layer_shares
from encoder.trace import unpadded
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import layer_names, say, theme


def draw() -> None:
    """Residual, attention, feed-forward and the rest: a share for every token and layer."""
    trace = session.now()
    tokens, layers = unpadded.tokens(trace), layer_names(trace.config)
    found = layer_shares(trace)
    shares = {name: values.T.numpy() for name, values in found.items()}
    means = {name: percent(float(values.nanmean())) for name, values in found.items()}
    fact = (
        f"Over all tokens and layers {means['residual']} of what a layer ends with is what came in (the residual), "
        f"{means['attention']} comes from attention and {means['feed-forward']} from feed-forward."
    )
    say(
        fact,
        "A layer takes a token's vector and adds two others to it: what attention brings from all tokens, and what "
        "feed-forward makes of the token itself. Each square is one token in one layer: how much of the outcome is "
        "from there.",
    )
    drawn = tiles(list(shares.values()), tokens, layers, list(shares), kind="signed", theme=theme(), across=2)
    last = f"layers.{trace.config.n_layers - 1}."
    chart(drawn, "layer_shares", fact, About(trace, reads=(f"{last}add_norm_2.sum",)), made="layer_shares(t)")
    rest = "" if trace.config.norm_first else f" The rest, {means['rest']}, is the beta of the norm between."
    st.caption(
        "A share is a part's vector along the direction of the layer's last sum; the parts of one token and layer add "
        f"up to 1, and a negative one points against the sum.{rest}"
    )
    downloads.of_figure("layer_shares", numbers_of(drawn))
