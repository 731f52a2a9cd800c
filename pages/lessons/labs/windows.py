"""What a window cannot see, in a text of 200 tokens."""

import streamlit as st

from encoder.pictures.registry.labs_positions import PLACE, SIGHT_REACHED, SIGHT_SEEN, TOKENS
from encoder.support.formatting import listed
from pages.lessons.labs import modern
from pages.ui.picture import ask, show, tie


def draw() -> None:
    """Whom one token sees in each layer, and what reaches it by way of others."""
    scene = ask(SIGHT_SEEN)
    config = scene.encoder.config
    st.markdown(
        f"A long text has many pairs of words. With windows most layers look at near ones only. Here are {TOKENS} "
        "places: choose one, and see whom it may look at."
    )
    local = [i for i in range(config.n_layers) if config.window_of(i) is not None]
    if not local:
        modern.offer("This model has no windows: every layer sees all.")
    st.slider("Place", 0, TOKENS - 1, **tie(PLACE, scene))
    show(SIGHT_SEEN)
    show(SIGHT_REACHED)
    if local:
        named = listed(list(map(str, local)))
        st.markdown(f"This model has a window of {config.window} tokens on either side in layers {named}.")
