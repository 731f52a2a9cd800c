"""What if: switch parts off and see what differs from there on."""

import streamlit as st

from pages.parts.what_if import difference, effect, leave_one_out, over_sentences, switchboard
from pages.ui.refusals import parts

st.markdown("Switch parts off, one click each, and see what differs from there on. Every change is part of the link.")
parts(switchboard.draw, effect.draw, difference.draw, leave_one_out.draw, over_sentences.draw)
