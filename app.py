"""The app: navigation, sidebar and walk around every page. Start it with `streamlit run app.py`."""

import streamlit as st

from pages.ui.server import cold_start, reconnect
from pages.ui.server.heap import keep_freed_memory
from pages.ui.state.site import PAGES

keep_freed_memory()  # before the libraries start threads that allocate
st.set_page_config(page_icon="🔎", layout="wide", initial_sidebar_state=340)
scripts = {st.Page(p.script, title=p.title, icon=p.icon, default=p is PAGES[0]): p for p in PAGES}
sections = {about.section: [one for one in scripts if scripts[one].section == about.section] for about in PAGES}
script = st.navigation(sections, position="top")
page = scripts[script]
bar = st.container(horizontal=True, vertical_alignment="center", key="bar")
bar.title(page.title, width="content")
cold_start.draw()
reconnect.draw()

# The first visitor after a start sees the title while the libraries load, and beside them the usual model.
with cold_start.loading():
    from pages.ui import session

    session.warm()
    import pandas  # noqa: F401  # Streamlit needs it for what follows; the model comes meanwhile

    from pages.ui.components import present
    from pages.ui.downloads import run as downloads
    from pages.ui.frame import encoder_map, sidebar
    from pages.ui.lessons import bar as lesson_bar
    from pages.ui.server import job_queue, upkeep, widget_cleanup
    from pages.ui.state import session_state as state
    from pages.ui.state import walk
    from pages.ui.text import STYLE, plain

st.html(STYLE)
walk.resume()
with upkeep.attended():
    with job_queue.refused():
        trace = sidebar.draw()
    walk.settle(page, trace.config)
    with st.sidebar:
        encoder_map.draw(page, trace.config)
    with bar:
        walk.draw(page, trace.config)
        lesson_bar.draw(page)
        present.draw()
        downloads.page(trace)
    said = st.container(key="said")
    with job_queue.refused():
        script.run()
if notes := state.session().notes:
    said.warning(plain("  \n".join(notes)))
    notes.clear()
state.write_url()
widget_cleanup.clean_up()
