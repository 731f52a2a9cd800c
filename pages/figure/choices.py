"""What a person chooses for the figure; all of it is part of the link."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.sheet import LONGEST, OFFERED, OWN_SIZE, sheet_of, usual
from pages.ui.state import session_state as state
from pages.ui.widgets import fold

TOGGLES = {
    "figure_square": "Square cells",
    "figure_words": "Words only",
    "figure_fit": "Numbers in cells",
    "figure_shared": "One colour scale for all",
}
LOOK = ("figure_letters", "figure_across", "figure_theme", *TOGGLES)
WORDS = ("figure_title", "figure_caption", "figure_alt")
HELP = {"figure_fit": "In maps whose cells have room for them."}


def tie(key: str) -> dict[str, Any]:
    """What ties a widget to a choice of the sheet."""
    return state.choice(key, OFFERED[key], usual(key, dict(state.current().choices)))


def pick(widget: Callable[..., Any], label: str, key: str, **options: Any) -> Any:
    """A widget for a choice of the sheet."""
    return widget(label, OFFERED[key], **options, **tie(key))


def chosen() -> Sheet:
    """The sheet that is chosen; asks for all of it, what few change folded."""
    if pick(st.selectbox, "For", "figure_for") == OWN_SIZE:
        pick(st.select_slider, "Width in mm", "figure_width")
        pick(st.select_slider, "Height in mm; 0 is as high as needed", "figure_height")
    fold("Its look", "figure_look", look, holds=LOOK)
    fold("Its words", "figure_texts", texts, holds=WORDS)
    return sheet_of(dict(state.current().choices))


def look() -> None:
    """Letters, rows and colours."""
    pick(st.select_slider, "Labels in points", "figure_letters")
    pick(st.pills, "Panels in a row", "figure_across", required=True, format_func=row_label)
    pick(st.segmented_control, "Colours", "figure_theme", required=True)
    for key, label in TOGGLES.items():
        st.toggle(label, help=HELP.get(key), **tie(key))


def texts() -> None:
    """Title, caption and alt text, where they are not those that are made."""
    st.text_input("Title", max_chars=120, **tie("figure_title"))
    for key, label in (("caption", "Caption; empty for the one below"), ("alt", "Alt text; empty for the caption")):
        st.text_area(label, max_chars=LONGEST, height=70, **tie(f"figure_{key}"))


def row_label(count: int) -> str:
    """How a number of panels in a row is called."""
    return str(count) if count else "As fits"
