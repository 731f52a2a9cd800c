"""Which tokens the pictures of attention draw: one choice for all of them, part of the link."""

import streamlit as st

from encoder.metrics.word_kinds import CHOICES, Choice
from pages.ui.state import session_state as state

LABELS: dict[Choice, str] = {"all": "All tokens", "words": "Words only", "letters": "Words, no punctuation"}
KEY = "words_only"
HELP = "Only what is drawn changes: the run stays as it is, and no weight is made larger. How much is left out is said."


def choose() -> Choice:
    """The switch, for a page with pictures of attention."""
    tie = state.shared_choice(KEY, CHOICES, CHOICES[0])
    found: Choice = st.pills("Draw", CHOICES, required=True, format_func=LABELS.__getitem__, help=HELP, **tie)
    return found
