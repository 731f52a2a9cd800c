"""The largest vectors and numbers of every layer."""

import pandas as pd
import streamlit as st

from encoder.metrics import layer_sizes
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.text import NUMBER, layer_names


def draw() -> None:
    """A table with a row for each layer."""
    trace = session.now()
    tokens, layers = trace.tokens, layer_names(trace.config)
    sizes = pd.DataFrame([one.row(tokens) for one in layer_sizes(trace)], index=pd.Index(layers, name="layer"))
    downloads.shown_table(sizes, key="layer_sizes", column_config=dict.fromkeys(sizes.columns, NUMBER))
    st.caption(
        "The longest vector that each sublayer adds; the largest number of all that the layer has added up, before its "
        "last norm where one follows, with its token and channel, beside the median; and how many units are zero at "
        "every token."
    )
