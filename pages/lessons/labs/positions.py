"""The table of positions as waves, and how alike places are by their distance."""

import streamlit as st

from encoder.experiments import turn, wavelengths
from encoder.pictures.expression import call
from encoder.pictures.registry.labs_positions import (
    PAIR,
    POSITION_DISTANCE,
    POSITION_WAVES,
    WAVELENGTHS,
    pairs,
    table,
)
from encoder.support.formatting import brief
from pages.lessons.labs import exchange
from pages.ui.picture import answer_of, ask, show, tie
from pages.ui.text import heading


def draw() -> None:
    """What is in the table, and what it does to a sentence whose words change places."""
    scene = ask(POSITION_WAVES)
    config, width = scene.encoder.config, scene.encoder.model.embedding.positions.weight.shape[1]
    if config.positions not in ("sinusoidal", "learned") or width % 2:
        st.markdown("This model has no table of positions whose columns come in pairs.")
    else:
        waves()
        heading("How alike two places are, by their distance")
        show(POSITION_DISTANCE)
    exchange.draw()


def waves() -> None:
    """One pair of columns over the positions, and after how many positions every pair comes round."""
    scene = ask(POSITION_WAVES)
    st.select_slider("Pair of dimensions", pairs(scene), **tie(PAIR, scene))
    scene = ask(POSITION_WAVES)
    answer = answer_of(POSITION_WAVES, scene)
    turns = answer.value(call(wavelengths, table(scene))).isfinite()
    even = bool(turns[scene[PAIR]])
    show(POSITION_WAVES, more="One is a sine and the other a cosine of the same angle." if even else "")
    if bool(turns.all()):
        show(WAVELENGTHS)
    else:
        largest = answer.value(call(turn, table(scene))).largest
        st.markdown(f"The best rotation misses by {brief(largest)}: this table is no table of waves.")
