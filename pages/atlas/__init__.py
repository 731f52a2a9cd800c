"""Atlas: what every head and unit of the model did over a whole corpus, and where else a vector lives."""

import streamlit as st

from pages.atlas import between, heads, layers, near, units, words
from pages.atlas.shelf import chosen
from pages.ui.widgets import apart, tabs


def draw() -> None:
    """Draw the page."""
    with apart():
        page, foot = st.container(), st.container()
        with foot:
            found = chosen()
        if found is not None:
            with page:
                tabs(
                    {
                        "Heads": heads.draw,
                        "Units": units.draw,
                        "From A to B": between.draw,
                        "Find a word": words.draw,
                        "Nearest": near.draw,
                        "Layers": layers.draw,
                    },
                    "atlas_part",
                )
