"""Inside one head: the score of a pair in layer 0 as terms, and what the weights alone say of words."""

import streamlit as st

from encoder.pictures.registry.heads import INSIDE_TERMS, KEY, QUERY, token_title
from pages.heads import weights_alone
from pages.ui.picture import ask, show
from pages.ui.text import heading
from pages.ui.widgets import pick_token


def draw() -> None:
    """Two tokens, their score in layer 0, and what the chosen head would do with their bare words."""
    scene = ask(INSIDE_TERMS)
    tokens = scene.t.tokens
    with st.container(horizontal=True):
        query = pick_token("It looks (query)", tokens, QUERY.key, QUERY.usual(scene))
        key = pick_token("It is looked at (key)", tokens, KEY.key, KEY.usual(scene))
    looks, looked_at = (token_title(scene, at) for at in (query, key))
    heading(f"Layer 0, head {scene.head}: why {looks} scores {looked_at} as it does")
    show(INSIDE_TERMS)
    st.caption(
        "In layer 0 a token is its word, its place, its sentence and what biases add, so a score is a sum over pairs "
        "of those. The norm divides by the spread that it had in this run. In later layers a token mixes many words."
    )
    weights_alone.draw(scene.t, scene.layer, scene.head, query, key)
