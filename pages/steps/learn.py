"""Watch it learn: a small encoder is trained on a task whose right attention is known, and can be opened afterwards."""

import streamlit as st

from pages.parts.learn import choices, opening, run
from pages.ui.refusals import told

st.markdown(
    "A new encoder knows nothing. Here one learns a small task, step by step, and because the right way to do it is "
    "known, you can see whether its heads find it. Press Play, pause, go back; then open the model in all other pages."
)
with told():
    settings = choices.draw()
    run.draw(settings)
    opening.draw(settings)
