"""How all pages draw charts."""

from contextlib import nullcontext

import plotly.graph_objects as go
import streamlit as st

from encoder.figures.drawn import numbers_of
from encoder.trace.trace import Trace
from pages.ui.components import present
from pages.ui.downloads.picture import card

CONFIG = {"toImageButtonOptions": {"format": "svg"}, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}


def chart(
    figure: go.Figure, key: str, alt: str, step: str = "", run: Trace | None = None, *, wide: bool = False
) -> None:
    """Draw a figure with the words that a screen reader says for it, and the way to keep it.

    `step` names the recorded step that it shows, if it is one; `run` the run, if not the one this session looks at.
    A `wide` figure has words in its cells: on a phone it stays wide enough to be read and scrolls in itself.
    """
    with st.container(key=f"wide_{key}") if wide else nullcontext():
        st.plotly_chart(present.enlarged(figure), key=key, config=CONFIG, alt=alt)
    card(key, lambda: numbers_of(figure), alt, scale=getattr(figure, "scale", ""), step=step, run=run)
