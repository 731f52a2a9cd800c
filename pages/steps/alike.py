"""Alike?: the cosine of two sentences as a sum over their tokens, and a list of sentences to find the odd pair in."""

import streamlit as st

from pages.parts.alike import many, two
from pages.ui.widgets import tabs

st.markdown(
    "One number says how alike two sentences are: the cosine of their vectors. Each vector is made of those of its "
    "tokens, so the number is a sum, and every part of it can be opened."
)
tabs({"Two sentences": two.draw, "A list": many.draw}, "alike_part")
