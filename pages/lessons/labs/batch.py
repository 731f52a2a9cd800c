"""Two sentences as one batch: their tokens with [PAD], their shapes, and one head's scores and weights."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from encoder.experiments.padding import Padding
from encoder.pictures.expression import Call
from encoder.pictures.registry.labs_padding import MASK, MASKS, PAD_MASKED, PAD_WEIGHTS
from encoder.support.formatting import shown
from pages.ui.downloads import table as downloads
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading, say


def shapes(batch: Padding, long: list[str]) -> None:
    """Both rows of the batch, and what it is before and after the encoder."""
    rows = [[shown(token) for token in row] for row in (batch.tokens, long)]
    downloads.shown_table(pd.DataFrame(rows, index=["short", "long"]), key="batch")
    run = batch.runs[0]
    n, d_model = run["output"].shape
    pads = f"{run.padding} rows of the short one are [PAD]"
    say(f"The batch goes in as (2, {n}) ids and comes out as (2, {n}, {d_model:,}): {pads}.")


def pictures(known: Mapping[Call, Any]) -> None:
    """The short sentence's masked scores and weights in the chosen layer and head, [PAD] among the columns.

    `known` is what was measured of the batch.
    """
    scene = ask(PAD_MASKED)
    heading(f"The short sentence in the batch (layer {scene.layer}, head {scene.head})")
    st.pills("Run", MASKS, required=True, **tie(MASK, scene))
    for column, picture in zip(st.columns(2), (PAD_MASKED, PAD_WEIGHTS), strict=True):
        with column:
            show(picture, known=known)
