"""Compare: two sentences or models side by side, one word in many sentences, patches from one run to the other."""

import streamlit as st

from pages.parts.compare import one_word, patch, two_runs
from pages.ui.state import session_state as state
from pages.ui.widgets import tabs

st.text_input("Sentence B (A is the one in the sidebar)", max_chars=2000, **state.widget("other"))
PARTS = {"Two runs": two_runs.draw, "One word in many sentences": one_word.draw, "Patch": patch.draw}
tabs(PARTS, "compare_part")
