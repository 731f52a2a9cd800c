"""Every run of a session: navigation, sentence, sidebar and walk around every page."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.ui.component import draw_scripts
from pages.ui.server import cold_start
from pages.ui.server.heap import keep_freed_memory
from pages.ui.server.turns import turn
from pages.ui.state.session import session as this_session
from pages.ui.state.site import PAGES

keep_freed_memory()  # before the libraries start threads that allocate
with turn():
    st.set_page_config(page_icon="🔎", layout="wide", initial_sidebar_state=340)
    scripts = this_session().scripts
    if not scripts:  # once in a session: each looks for its file; a run that is about to end may do the same just now
        scripts = {st.Page(p.script, title=p.title, icon=p.icon, default=p is PAGES[0]): p for p in PAGES}
        this_session().scripts = scripts
    sections: dict[str, list[StreamlitPage]] = {}
    for one, about in scripts.items():
        sections.setdefault(about.section, []).append(one)
    script = st.navigation(sections, position="top", expanded=True)
    page = scripts[script]
    top = st.container(horizontal=True, vertical_alignment="center", key="top")
    under = st.container(horizontal=True, vertical_alignment="center", key="under_top")
    bar = st.container(horizontal=True, vertical_alignment="center", key="bar")
    bar.title(page.title, width="content", anchor="page")
    draw_scripts()

    # The first visitor after a start sees the title while the libraries load, and beside them the usual model.
    with cold_start.loading():
        from pages.ui import session

        session.warm()
        import pandas  # noqa: F401  # Streamlit needs it for what follows; the model comes meanwhile

        from pages.ui.components import present
        from pages.ui.downloads import figure
        from pages.ui.downloads import run as downloads
        from pages.ui.frame import arrival, body, encoder_map, quick, sentence, sidebar
        from pages.ui.lessons import bar as lesson_bar
        from pages.ui.lessons import library, story
        from pages.ui.live import follow, strip
        from pages.ui.live import seat as class_seat
        from pages.ui.refusals import told
        from pages.ui.server import job_queue, upkeep, widget_cleanup
        from pages.ui.state import session_state as state
        from pages.ui.state import walk
        from pages.ui.step import guess, inspector, token_buttons
        from pages.ui.text import plain

    widget_cleanup.leave_out_forged()
    class_seat.take_asked()
    now = follow.take(page)
    walk.resume()
    with upkeep.attended():
        with job_queue.refused(), told(ends=True):
            trace = sidebar.draw(top)
        walk.settle(page, trace.config)
        figure.settle(page)
        veiled = strip.veils(now)
        asks = veiled or page in (library.HERE, story.HERE)  # there the model's guess may be the answer
        at = story.place() if page == story.HERE else walk.place(page, trace.config)
        arrival.draw(page, at)
        with st.sidebar:
            encoder_map.draw(page, trace.config)
        with top:
            present.draw()
            downloads.page(trace)
        with under:
            sentence.chips()
            quick.draw(trace.config)
            if not asks:
                token_buttons.folded(trace)
                guess.switch()
        with bar:
            if at is not None:
                st.caption(at.said, width="content")
            lesson_bar.draw(page)
            story.way_back(page)
            walk.draw(at)
        said = st.container(key="said")
        with told():
            strip.draw(page, now)
        with job_queue.refused(), told():
            strip.veil() if veiled else body.draw(page)
        if not veiled and (
            page is not library.HERE or not state.session().veiled
        ):  # an opened number may be the answer
            with told():
                inspector.draw(trace)
    figure.go_on()
    walk.draw(at, "_below")
    if not asks:
        with told():
            guess.strip(trace)
    if notes := state.session().notes:
        said.warning(plain("  \n".join(notes)))
        notes.clear()
    state.write_url()
    follow.settle(page)
    widget_cleanup.clean_up()
