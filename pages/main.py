"""Every run of a session: the page that is asked for, with the bar on top of it."""

import streamlit as st

from pages.front import frame
from pages.ui import style
from pages.ui.component import draw_scripts
from pages.ui.frame import cold_start
from pages.ui.state.session import is_forged
from pages.ui.state.session import session as this_session
from pages.ui.state.site import scripts as all_scripts


def draw() -> None:
    """Draw the page that is open."""
    if is_forged():
        st.warning("This browser sends fields that no page has. Load the page again.")
        return
    st.set_page_config(page_icon="🔎", layout="wide")
    scripts = this_session().scripts
    if not scripts:  # once in a session: each looks for its file; a run that is about to end may do the same just now
        scripts = this_session().scripts = all_scripts()
    page = scripts[st.navigation(list(scripts), position="hidden")]  # the menu is in the bar
    if page.is_drawn:
        frame.draw(page, scripts)
        return
    style.draw(style.OF_SERVER)
    draw_scripts()

    cold_start.load()
    from pages.front import around
    from pages.ui.frame import page_frame

    page_frame.draw(page, around)


draw()
