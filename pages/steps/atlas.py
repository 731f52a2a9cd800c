"""Atlas: what every head and unit of the model did over a whole corpus, and where else a vector lives."""

import streamlit as st

from pages.parts.atlas import between, heads, layers, near, units, words
from pages.parts.atlas.shelf import chosen
from pages.ui.widgets import tabs

st.markdown(
    "One sentence cannot tell what a head does. An atlas keeps what all heads and units did over a corpus: how their "
    "values are spread, the largest of them, and some drawn evenly from all."
)
if chosen() is not None:
    tabs(
        {"Heads": heads.draw, "Units": units.draw, "From A to B": between.draw, "Find a word": words.draw,
         "Nearest": near.draw, "Layers": layers.draw},
        "atlas_part",
    )  # fmt: skip
