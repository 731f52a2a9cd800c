"""What if: switches for the whole model and what differs from there on; which parts, and words, made a guess."""

import streamlit as st

from pages.ui.refusals import parts
from pages.ui.step import attribution_section
from pages.ui.widgets import tabs
from pages.what_if import difference, leave_one_out, made_by, over_sentences, switchboard


def switches() -> None:
    """The switches, and what they change."""
    st.markdown(
        "Change something in the whole model, or press a switch above: every change is part of the link, and what "
        "differs stands here."
    )
    parts(switchboard.draw, difference.draw, leave_one_out.draw, over_sentences.draw)


def draw() -> None:
    """Draw the page."""
    tabs({"Switches": switches, "Which parts": made_by.draw, "Which words": attribution_section.draw}, "why")
