"""Figure: pictures of any page as one figure for a paper, a film for a slide, or a card to share."""

import streamlit as st

from pages.parts.figure import begin, film, panels, printed, share_card
from pages.ui.text import say
from pages.ui.widgets import tabs

st.markdown(
    "Under every picture, and in Keep above those of Start and Attention, stands **Add to figure**. What you add is "
    "collected here: as a figure of exact width with letters, words as words and its numbers, as a film, or as a card "
    "with the sentence. The link remakes all of it."
)
panels.draw()
if not panels.shown():
    say("There is no picture in the figure yet.", "Add one from any page, or begin with the chosen head:")
    begin.draw()
tabs({"Figure": printed.draw, "Film": film.draw, "Share card": share_card.draw}, "figure_part")
