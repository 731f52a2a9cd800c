"""A card of 1200 x 630 pixels to share: the sentence, the first picture and the address of the app."""

import base64
import html

import streamlit as st

from encoder.paper.share import PIXELS, share_card
from encoder.theme import Theme
from pages.parts.figure.panels import shown
from pages.ui.components import share
from pages.ui.downloads.button import save
from pages.ui.state import session_state as state


def draw() -> None:
    """The card of the first picture, and its file."""
    panels = shown()
    if not panels:
        return
    view = state.current()
    theme: Theme = "dark" if dict(view.choices).get("figure_theme") == "dark" else "light"
    asked = dict(state.session().figure[0].query).get("sentence", type(view).sentence)
    address = share.app_address()
    made = share_card(panels[0], asked, address, theme)
    picture = base64.b64encode(made).decode()
    alt = html.escape(f"{asked} {panels[0].caption}")
    st.html(
        f'<img class="true-size" alt="{alt}" src="data:image/png;base64,{picture}" style="width:{PIXELS[0] // 2}px">'
    )
    st.caption(f"{PIXELS[0]} × {PIXELS[1]} pixels, as pages and messages show of a link.")
    save("PNG", "share_card", "card.png", lambda: made, "image/png")
