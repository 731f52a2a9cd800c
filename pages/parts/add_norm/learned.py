"""The parameters of a norm: its gamma, and its beta where it has one."""

import numpy as np
import pandas as pd
import streamlit as st
from torch import nn

from encoder.export.caption import About
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.model.config import EncoderConfig
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme

LEARNED = "parameters, so the same for every sentence"


LEDGER = "Before the norm every token has its own mean and variance. {normalized}; after {learned}, the same for every \
token, each has a mean and a variance of its own again."


def ledger(config: EncoderConfig) -> str:
    """What the table of means and variances shows."""
    rms = "Normalized, the mean of the squares is 1 and the mean stays what it is, made smaller"
    layer_norm = "Normalized, the mean is 0 and the variance 1"
    learned = "gamma and beta" if config.norm_bias else "gamma"
    return LEDGER.format(normalized=rms if config.norm == "rms_norm" else layer_norm, learned=learned)


def draw(norm: nn.Module, place: str) -> None:
    """Gamma and beta of every dimension; `place` is the norm's name in the model."""
    rows = [name for name, leaf in (("gamma", "weight"), ("beta", "bias")) if leaf in dict(norm.named_parameters())]
    heading(f"{' and '.join(rows).capitalize()} of this norm" if rows else "No norm stands here")
    if not rows:
        st.markdown("Layer 0 of this model has no norm before attention: there is nothing to learn.")
        return
    trace, view = session.now(), state.current()
    learned = np.stack([weights.numpy() for weights in norm.parameters()])
    drawn = matrix(learned, rows, "dimension", kind="signed", theme=theme())
    fact = f"The {' and '.join(rows)} of every dimension. {main_fact(learned, rows, 'dimension', 'signed')}"
    chart(
        drawn,
        "gamma_beta",
        fact,
        About(source=trace.source, layer=view.layer, scope=LEARNED),
        made=f'torch.stack(list(enc.model.get_submodule("{place}").parameters()))',
    )
    say(fact, "" if len(rows) > 1 else "This norm has no beta.")
    both = pd.DataFrame(learned.T, columns=pd.Index(rows)).rename_axis("dimension")
    downloads.numbers("gamma_beta", "gamma_beta", lambda: both, learned.shape)
