"""In front of a class: one key hides the controls and makes type and pictures large; the arrow keys still walk."""

import plotly.graph_objects as go
import streamlit as st

from pages.ui import style
from pages.ui.state import session_state as state

LARGER = 1.35
HIDDEN = "[class*=st-key-keep_], .st-key-choose, .st-key-proof, .st-key-walk button, .st-key-present, .st-key-keep_all"
STYLE = f"""<style>
html {{ font-size: {LARGER:.0%}; }}
{HIDDEN} {{ display: none !important; }}
{style.OF_STREAMLIT[style.PRESENT]}</style>"""


def on() -> bool:
    """Whether the page is shown to a class."""
    return state.current().present


def draw() -> None:
    """The button and keys for it: P begins, P or Escape ends."""
    if on():
        st.html(STYLE)
    button("present", "P", not on())
    if on():
        button("present_end", "Escape", False)


def button(key: str, shortcut: str, to: bool) -> None:
    """A button, and a key, that begins or ends it."""
    label = "Present" if to else "End"
    st.button(label, key=key, shortcut=shortcut, type="tertiary", on_click=state.change, kwargs={"present": to})


def enlarged(figure: go.Figure) -> go.Figure:
    """The figure as it is shown to a class: taller, in larger type; unchanged else."""
    if on():
        size, height = figure.layout.font.size or 13, figure.layout.height or 400
        figure.update_layout(height=round(height * LARGER), font_size=round(size * LARGER))
    return figure
