"""Add & norm: what each sublayer adds to a token's vector, and how the sum is brought back to size."""

import numpy as np
import streamlit as st

from encoder.metrics import norm_moments
from encoder.pictures.registry.add_norm import NORM_SIDES, part
from pages.add_norm import learned, spread
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask
from pages.ui.step import panel
from pages.ui.text import NUMBER, heading


def draw() -> None:
    """Draw the page."""
    scene = ask(NORM_SIDES)
    trace = scene.t

    heading("Every token's means and variances")
    ledger = norm_moments(trace, scene.layer, part(scene))
    st.markdown(learned.ledger(trace.config))
    columns = [values.numpy() for values in ledger.values()]
    table = downloads.frame(np.stack(columns, 1), trace.tokens, "column").set_axis(list(ledger), axis=1)
    downloads.shown_table(table, key="ledger", column_config=dict.fromkeys(ledger, NUMBER))

    spread.draw()
    learned.draw()
    panel.proof(trace, panel.step_of("add_norm"))
