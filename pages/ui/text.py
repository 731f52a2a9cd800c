"""How all pages write text and draw charts."""

from contextlib import nullcontext
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from encoder.figures.drawn import numbers_of
from encoder.figures.theme import ACCENT, MUTED, SECOND, Theme
from encoder.trace.trace import Trace
from pages.ui import keep, present

CONFIG = {"toImageButtonOptions": {"format": "svg"}, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
NUMBER = st.column_config.NumberColumn(format="%.4g")
WHOLE = st.column_config.NumberColumn(format="localized")


def colours(name: str, pair: dict[Theme, str]) -> str:
    """A colour of the pictures as a CSS property that follows the page between light and dark."""
    return f"--{name}: light-dark({pair['light']}, {pair['dark']});"


COLOURS = " ".join(colours(name, pair) for name, pair in (("muted", MUTED), ("accent", ACCENT), ("second", SECOND)))
SHARED = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
STYLE = f"<style>:root {{ {COLOURS} }}\n{SHARED}</style>"


def theme() -> Theme:
    """Whether the person's browser shows light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def plain(text: str) -> str:
    """Text that a person typed, made safe for Markdown."""
    return "".join(f"\\{c}" if c in '\\`*_{}[]()#+-.!|~$:<>&"@=' else c for c in text)


def arrow(way: str) -> str:
    """A way between the sentences of a pair as it is shown: "A->B" with a real arrow."""
    return way.replace("->", " → ")


def chart(
    figure: go.Figure, key: str, alt: str, step: str = "", run: Trace | None = None, *, wide: bool = False
) -> None:
    """Draw a figure with the words that a screen reader says for it, and the way to keep it.

    `step` names the recorded step that it shows, if it is one; `run` the run, if not the one this session looks at.
    A `wide` figure has words in its cells: on a phone it stays wide enough to be read and scrolls in itself.
    """
    with st.container(key=f"wide_{key}") if wide else nullcontext():
        st.plotly_chart(present.enlarged(figure), key=key, config=CONFIG, alt=alt)
    keep.card(key, lambda: numbers_of(figure), alt, scale=getattr(figure, "scale", ""), step=step, run=run)
