"""A card of 1200 x 630 pixels to share: the sentence, the first picture and the address of the app."""

import base64
import html

import streamlit as st

from encoder.pictures.paper.panel import PanelError
from encoder.pictures.paper.share import PIXELS, share_card
from encoder.support.theme import Theme
from pages.figure import example
from pages.figure.panels import shown
from pages.ui.components import share
from pages.ui.downloads.button import save
from pages.ui.state import session_state as state


def draw() -> None:
    """The card of the first picture, and its file; while there is none, that of the chosen head as an example."""
    view, panels, figure = state.current(), shown(), state.session().figure
    try:
        first = panels[0] if panels else example.panel()
    except PanelError as error:
        st.caption(f"A card shows the first picture of the figure; no example of this sentence is drawn: {error}.")
        return
    theme: Theme = "dark" if dict(view.choices).get("figure_theme") == "dark" else "light"
    asked = dict(figure[0].query).get("sentence", type(view).sentence) if panels else view.sentence
    address = share.app_address()
    made = share_card(first, asked, address, theme)
    picture = base64.b64encode(made).decode()
    alt = html.escape(" ".join(filter(None, (asked, first.caption, first.not_drawn))))
    st.html(
        f'<img class="true-size" alt="{alt}" src="data:image/png;base64,{picture}" style="width:{PIXELS[0] // 2}px">'
    )
    st.caption(f"{PIXELS[0]} × {PIXELS[1]} pixels, as pages and messages show of a link.")
    if not panels:
        st.caption("An example: with Add to figure, the first picture that you add stands here.")
    save("PNG", "share_card", "card.png", lambda: made, "image/png")
