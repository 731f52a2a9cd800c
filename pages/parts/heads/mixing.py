"""How much of each vector comes from other tokens, layer by layer."""

import streamlit as st
import torch
from torch import Tensor

from encoder.export.caption import About
from encoder.figures.matrix import matrix
from encoder.formatting import percent, shown
from encoder.metrics import largest_cell, mixing_ratio
from encoder.trace.once import once
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import heading, layer_names, say, theme


def draw() -> None:
    """The mixing ratio of every token in every layer."""
    trace = session.now()
    tokens, layers = trace.tokens, layer_names(trace.config)
    heading("How much of each vector comes from others")
    st.markdown(
        "A layer adds what attention brings to what a token had. How much of the result is from **other** tokens?"
    )
    ratio = ratios(trace).numpy()
    drawn = matrix(ratio, tokens, layers, kind="share", theme=theme())
    last = f"layers.{trace.config.n_layers - 1}."
    about = About(trace, reads=(f"{last}attention.weights", f"{last}attention.v", f"{last}add_norm_1.residual"))
    i, j = largest_cell(ratio)
    fact = (
        f"“{shown(tokens[i])}” ({i}) takes most from others in layer {j}: {percent(float(ratio[i, j]))}. "
        f"The mean is {percent(float(ratio.mean()))}."
    )
    what = "Share of each token's new vector that comes from other tokens, layer by layer"
    chart(
        drawn,
        "mixing",
        f"{what}. {fact}",
        about,
        made="torch.stack([mixing_ratio(t, i) for i in range(t.config.n_layers)], 1)",
    )
    say(
        fact,
        "The rest is its own: what it had before (the residual), and what it takes from itself. In the papers this is "
        "the mixing ratio with the residual, before the norm (AttnRes-N, Kobayashi et al. 2021).",
    )
    downloads.numbers("mixing", "mixing_ratio", lambda: downloads.frame(ratio, tokens, layers), ratio.shape)


@once
def ratios(trace: Trace) -> Tensor:
    """The mixing ratio of every token in every layer: [n, n_layers]."""
    return torch.stack([mixing_ratio(trace, i) for i in range(trace.config.n_layers)], 1)
