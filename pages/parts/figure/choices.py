"""What a person chooses for the figure; all of it is part of the link."""

from typing import Any

import streamlit as st

from encoder.paper.sheet import SIZES, Sheet
from pages.ui.state import session_state as state

OWN_SIZE = "Own size"
FOR = (*SIZES, OWN_SIZE)
WIDTHS, HEIGHTS = range(40, 401), (0, *range(30, 401, 5))
LETTERS = [half / 2 for half in range(8, 41)]
LONGEST = 1200  # characters of a caption
SWITCHES = {
    "figure_square": ("Square cells", True),
    "figure_words": ("Words only", False),
    "figure_fit": ("Numbers in cells, where they fit", False),
    "figure_shared": ("One colour scale for all", False),
}


def chosen() -> Sheet:
    """The sheet that is chosen; asks for all of it."""
    tie = state.choice
    made_for = st.selectbox("For", FOR, **tie("figure_for", FOR, FOR[1]))
    width, height = SIZES.get(made_for, (0.0, 0.0))
    if made_for == OWN_SIZE:
        width = float(st.select_slider("Width in mm", WIDTHS, **tie("figure_width", WIDTHS, 120)))
        height = float(
            st.select_slider("Height in mm; 0 is as high as needed", HEIGHTS, **tie("figure_height", HEIGHTS, 0))
        )
    usual = 12.0 if made_for == "Slide 16:9" else 7.0
    letters = st.select_slider("Labels in points", LETTERS, **tie("figure_letters", LETTERS, usual))
    rows = tie("figure_across", range(5), 0)
    columns = st.pills("Panels in a row", range(5), required=True, format_func=named, **rows)
    themes = ("light", "dark")
    theme = st.segmented_control("Colours", themes, required=True, **tie("figure_theme", themes, "light"))
    on = {key: st.toggle(label, **tie(key, (False, True), usual)) for key, (label, usual) in SWITCHES.items()}
    return Sheet(
        width, height, letters, columns, theme or "light", on["figure_square"], on["figure_words"],
        "fit" if on["figure_fit"] else "none", on["figure_shared"], **words(),
    )  # fmt: skip


def words() -> dict[str, str]:
    """Title, caption and alt text; empty ones are made from what is shown."""
    tie: Any = state.choice
    return {
        "title": st.text_input("Title", max_chars=120, **tie("figure_title", None, "")),
        "caption": st.text_area(
            "Caption; empty for the one below", max_chars=LONGEST, height=70, **tie("figure_caption", None, "")
        ),
        "alt": st.text_area(
            "Alt text; empty for the caption", max_chars=LONGEST, height=70, **tie("figure_alt", None, "")
        ),
    }


def named(count: int) -> str:
    """How a number of panels in a row is called."""
    return str(count) if count else "As fits"
