"""The app: navigation, sidebar and walk around every page. Start it with `streamlit run app.py`."""

import streamlit as st

from pages.ui import first_visit, reconnect
from pages.ui.allocator import keep_freed_memory
from pages.ui.site import PAGES

keep_freed_memory()  # before the libraries start threads that allocate
st.set_page_config(page_icon="🔎", layout="wide", initial_sidebar_state=340)
scripts = {st.Page(p.script, title=p.title, icon=p.icon, default=p is PAGES[0]): p for p in PAGES}
sections = {about.section: [one for one in scripts if scripts[one].section == about.section] for about in PAGES}
script = st.navigation(sections, position="top")
page = scripts[script]
bar = st.container(horizontal=True, vertical_alignment="center", key="bar")
bar.title(page.title, width="content")
first_visit.draw()
reconnect.draw()

# The first visitor after a start sees the title while the libraries load, and beside them the usual model.
with first_visit.loading():
    from pages.ui import session

    session.warm()
    import pandas  # noqa: F401  # Streamlit needs it for what follows; the model comes meanwhile

    from pages.ui import encoder_map, keep, leftovers, lesson_bar, present, sidebar, state, turns, walk
    from pages.ui.text import STYLE, plain

st.html(STYLE)
walk.resume()
with turns.refused():
    trace = sidebar.draw()
walk.settle(page, trace.config)
with st.sidebar:
    encoder_map.draw(page, trace.config)
with bar:
    walk.draw(page, trace.config)
    lesson_bar.draw(page)
    present.draw()
    keep.page(trace)
said = st.container(key="said")
with turns.refused():
    script.run()
if notes := st.session_state.pop("notes", []):
    said.warning(plain("  \n".join(notes)))
state.write_url()
leftovers.let_go()
