"""The layers over the corpus: how long their vectors are, what grows large, and which units never fire."""

import numpy as np
import streamlit as st

from encoder.pictures.registry.atlas import ATLAS_LENGTHS
from pages.atlas.shelf import now
from pages.ui.downloads import table as downloads
from pages.ui.picture import answer_of, show
from pages.ui.text import heading, plain


def draw() -> None:
    """A picture of the lengths, and a row for each layer."""
    atlas = now()
    rows = atlas.layers
    heading(plain(answer_of(ATLAS_LENGTHS).sentence))
    words, special, mean = show(ATLAS_LENGTHS, sentence=False, numbers=False).numbers.array
    st.markdown(plain(f"On {atlas.card.scope}. What the mean has, all vectors share, whatever they say."))
    largest = np.array(rows["largest_size"].to_pylist())
    table = rows.select(["after", "dead_units"]).to_pandas()
    table["length of words"], table["length of special tokens"], table["length of the mean"] = words, special, mean
    table["largest number"], table["at channel"] = largest.max(-1), largest.argmax(-1)
    table["channels over 6 times the median"] = [
        ", ".join(map(str, channels[:8])) or "none" for channels in rows["outlier_channels"].to_pylist()
    ]
    downloads.shown_table(table, key="atlas_layers", hide_index=True)
