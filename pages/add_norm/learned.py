"""The parameters of a norm: its gamma, and its beta where it has one."""

import streamlit as st

from encoder.metrics import norm_parameters
from encoder.model.config import EncoderConfig
from encoder.pictures.registry.add_norm import LEARNED, part
from pages.ui.picture import ask, show
from pages.ui.text import heading

LEDGER = "Before the norm every token has its own mean and variance. {normalized}; after {learned}, the same for every \
token, each has a mean and a variance of its own again."


def ledger(config: EncoderConfig) -> str:
    """What the table of means and variances shows."""
    rms = "Normalized, the mean of the squares is 1 and the mean stays what it is, made smaller"
    layer_norm = "Normalized, the mean is 0 and the variance 1"
    learned = "gamma and beta" if config.norm_bias else "gamma"
    return LEDGER.format(normalized=rms if config.norm == "rms_norm" else layer_norm, learned=learned)


def draw() -> None:
    """Gamma and beta of every dimension."""
    scene = ask(LEARNED)
    rows = list(norm_parameters(scene.encoder, scene.layer, part(scene)))
    heading(f"{' and '.join(rows).capitalize()} of this norm" if rows else "No norm stands here")
    if rows:
        show(LEARNED, more="" if len(rows) > 1 else "This norm has no beta.")
    else:
        st.markdown("Layer 0 of this model has no norm before attention: there is nothing to learn.")
