"""Add & norm: what each sublayer adds to a token's vector, and how the sum is brought back to size."""

import numpy as np
import streamlit as st

from encoder.metrics import norm_moments, norm_parameters
from encoder.model.config import EncoderConfig
from encoder.pictures.registry.sublayer_pictures import NORM_SIDES, part
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask
from pages.ui.step import step_panel
from pages.ui.text import NUMBER, heading


def draw() -> None:
    """Draw the page."""
    scene = ask(NORM_SIDES)
    trace = scene.t

    heading("Every token's means and variances")
    ledger = norm_moments(trace, scene.layer, part(scene))
    st.markdown(ledger_caption(trace.config))
    columns = [values.numpy() for values in ledger.values()]
    table = downloads.frame(np.stack(columns, 1), trace.tokens, "column").set_axis(list(ledger), axis=1)
    downloads.shown_table(table, key="ledger", column_config=dict.fromkeys(ledger, NUMBER))

    if not list(norm_parameters(scene.encoder, scene.layer, part(scene))):
        heading("No norm stands here")
        st.markdown("Layer 0 of this model has no norm before attention: there is nothing to learn.")
    step_panel.below("add_norm")


LEDGER = "Before the norm every token has its own mean and variance. {normalized}; after {learned}, the same for every \
token, each has a mean and a variance of its own again."


def ledger_caption(config: EncoderConfig) -> str:
    """What the table of means and variances shows."""
    rms = "Normalized, the mean of the squares is 1 and the mean stays what it is, made smaller"
    layer_norm = "Normalized, the mean is 0 and the variance 1"
    learned = "gamma and beta" if config.norm_bias else "gamma"
    return LEDGER.format(normalized=rms if config.norm == "rms_norm" else layer_norm, learned=learned)
