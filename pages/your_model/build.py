"""An untrained model of any shape, with random weights."""

import streamlit as st

from encoder.explain.cost import size
from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError
from encoder.support.formatting import short
from pages.ui.server import models
from pages.ui.text import say
from pages.your_model import form
from pages.your_model.common import show
from pages.your_model.fields import TOKENS_OF_BASE

TOKENS = (12, 128)  # lengths that the memory of a run is said for


def draw() -> None:
    """The form, what such a model would take, and the button that builds it."""
    st.markdown(
        "An encoder with random weights: nothing is learned, but every step runs. The same seed gives the same weights."
    )
    seed = form.draw()
    try:
        metrics(config := form.asked())
        models.within_limit(config)
    except EncoderError as error:
        say(f"This cannot be built: {error}.")
        config = None
    st.button(
        "Build it",
        type="primary",
        key="build",
        disabled=config is None,
        on_click=lambda: show(models.built(config, seed)) if config else None,
    )


def metrics(config: EncoderConfig) -> None:
    """What such a model takes."""
    cost = size(config)
    with st.grid("auto", min_column_width=170):
        st.metric("Parameters", f"{short(cost.parameters / 1e6)} M")
        st.metric("Memory of the weights", f"{short(cost.bytes_of_weights / 1e6)} MB")
        for n in TOKENS:
            st.metric(f"A run of {n} tokens", f"{short(cost.bytes_of_a_run(n) / 1e6)} MB")
    if idle := config.vocab_size - TOKENS_OF_BASE:
        st.caption(
            f"Text is read with the bundled tokenizer of {TOKENS_OF_BASE:,} tokens: {idle:,} rows of this "
            "vocabulary are never looked up. They count as parameters all the same."
        )
