"""Atlas: what every head and unit of the model did over a whole corpus, and where else a vector lives."""

import streamlit as st

from pages.atlas import heads_and_units, searches
from pages.atlas.contexts import choose_atlas
from pages.ui.picture_view import tabs
from pages.ui.widgets import apart


def draw() -> None:
    """Draw the page."""
    with apart():
        page, foot = st.container(), st.container()
        with foot:
            atlas = choose_atlas()
        if atlas is not None:
            with page:
                tabs(
                    {
                        "Heads": heads_and_units.draw_heads,
                        "Units": heads_and_units.draw_units,
                        "From A to B": searches.draw_between,
                        "Find a word": searches.draw_words,
                        "Nearest": searches.draw_nearest,
                        "Layers": searches.draw_layers,
                    },
                    "atlas_part",
                )
