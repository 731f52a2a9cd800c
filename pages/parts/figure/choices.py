"""What a person chooses for the figure; all of it is part of the link."""

from dataclasses import replace

import streamlit as st

from encoder.paper.sheet import SIZES, Numbers, Sheet
from pages.ui.state import session_state as state

OWN_SIZE = "Own size"
FOR = (*SIZES, OWN_SIZE)
WIDTHS, HEIGHTS = range(40, 401), (0, *range(30, 401, 5))
LETTERS = [half / 2 for half in range(8, 41)]
LONGEST = 1200  # characters of a caption
OFF_ON = (False, True)


def chosen() -> Sheet:
    """The sheet that is chosen; asks for all of it."""
    made_for = st.selectbox("For", FOR, **state.choice("figure_for", FOR, FOR[1]))
    width, height = SIZES.get(made_for, (0.0, 0.0))
    if made_for == OWN_SIZE:
        width = float(st.select_slider("Width in mm", WIDTHS, **state.choice("figure_width", WIDTHS, 120)))
        height = float(
            st.select_slider(
                "Height in mm; 0 is as high as needed", HEIGHTS, **state.choice("figure_height", HEIGHTS, 0)
            )
        )
    usual = 12.0 if made_for == "Slide 16:9" else 7.0
    letters = st.select_slider("Labels in points", LETTERS, **state.choice("figure_letters", LETTERS, usual))
    rows = state.choice("figure_across", range(5), 0)
    columns = st.pills("Panels in a row", range(5), required=True, format_func=named, **rows)
    themes = ("light", "dark")
    theme = st.segmented_control("Colours", themes, required=True, **state.choice("figure_theme", themes, "light"))
    square = st.toggle("Square cells", **state.choice("figure_square", OFF_ON, True))
    words_only = st.toggle("Words only", **state.choice("figure_words", OFF_ON, False))
    fit = st.toggle(
        "Numbers in cells", help="In maps whose cells have room for them.", **state.choice("figure_fit", OFF_ON, False)
    )
    shared = st.toggle("One colour scale for all", **state.choice("figure_shared", OFF_ON, False))
    numbers: Numbers = "fit" if fit else "none"
    title, caption, alt = words()
    looks = Sheet(width, height, letters, columns, theme or "light", square, words_only, numbers, shared)
    return replace(looks, title=title, caption=caption, alt=alt)


def words() -> tuple[str, str, str]:
    """Title, caption and alt text; empty ones are made from what is shown."""
    return (
        st.text_input("Title", max_chars=120, **state.choice("figure_title", None, "")),
        st.text_area(
            "Caption; empty for the one below", max_chars=LONGEST, height=70, **state.choice("figure_caption", None, "")
        ),
        st.text_area(
            "Alt text; empty for the caption", max_chars=LONGEST, height=70, **state.choice("figure_alt", None, "")
        ),
    )


def named(count: int) -> str:
    """How a number of panels in a row is called."""
    return str(count) if count else "As fits"
