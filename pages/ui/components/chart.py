"""How all pages draw charts."""

from contextlib import nullcontext
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from encoder.export.caption import About
from encoder.figures.drawn import numbers_of
from encoder.figures.pair import tell_apart
from encoder.paper.from_drawn import of_drawn
from pages.ui.components import present
from pages.ui.downloads import table
from pages.ui.downloads.picture import card
from pages.ui.text import theme

CONFIG = {"displayModeBar": False}  # it would lie over labels; what keeps a picture stands below it


def chart(
    figure: go.Figure,
    key: str,
    alt: str,
    about: About,
    *,
    wide: bool = False,
    numbers: bool = False,
    made: str = "",
) -> None:
    """Draw a figure with the words that a screen reader says for it, and the way to keep it.

    `about` says what its numbers are of: the run, or what else they come from.
    A `wide` figure has words in its cells: on a phone it stays wide enough to be read and scrolls in itself. With
    `numbers` what is drawn stands below as a table, folded; without it the page has one of its own.
    `made` is the expression that gives these numbers, as `pages.ui.downloads.picture.card` takes it.
    """
    if about.run is not None and about.run.tokenization.second:
        tell_apart(figure, about.run.tokens, about.run.tokenization.second, theme())
    with st.container(key=f"wide_{key}") if wide else nullcontext():
        st.plotly_chart(present.enlarged(figure), key=key, config=CONFIG, alt=alt)
    of_figure = partial(of_drawn, figure=figure, theme=theme())
    scale = getattr(figure, "scale", "")
    card(key, lambda: numbers_of(figure), alt, about, scale=scale, made=made, panel=of_figure)
    if numbers:
        table.folded(key, lambda: numbers_of(figure))
