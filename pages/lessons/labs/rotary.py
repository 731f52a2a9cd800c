"""Why rotary: the score of two words wherever they stand, turned and not."""

import streamlit as st

from encoder.pictures.registry.labs_positions import KEY, PLACED, PLACED_ALONG, QUERY
from pages.ui.picture import ask, show
from pages.ui.widgets import pick_token


def draw() -> None:
    """Two words in every pair of places, and what a head of layer 0 scores them there."""
    st.markdown("Two words of the sentence are put in every pair of 48 places, and layer 0 scores them there.")
    scene = ask(PLACED)
    tokens = scene.t.tokens
    with st.container(horizontal=True):
        pick_token("It looks (query)", tokens, QUERY.key, QUERY.usual(scene))
        pick_token("It is looked at (key)", tokens, KEY.key, KEY.usual(scene))
    turned = "Queries and keys are turned by their places here: every diagonal has one colour."
    added = "Where every diagonal has one colour, only the distance counts. Try the model modern beside this one."
    show(PLACED, more=turned if scene.encoder.config.positions == "rotary" else added)
    show(PLACED_ALONG, more="A flat line is a score that knows the distance alone.")
