"""What if: switch parts off and see what differs from there on; which parts, and which words, made a guess."""

import streamlit as st

from pages.parts.what_if import difference, effect, leave_one_out, made_by, over_sentences, switchboard
from pages.ui.refusals import parts
from pages.ui.step import shared_out
from pages.ui.widgets import tabs


def switches() -> None:
    """The switches, and what they change."""
    st.markdown(
        "Switch parts off, one click each, and see what differs from there on. Every change is part of the link."
    )
    parts(switchboard.draw, effect.draw, difference.draw, leave_one_out.draw, over_sentences.draw)


tabs({"Switches": switches, "Which parts": made_by.draw, "Which words": shared_out.draw}, "why")
