"""What a run draws under the navigation: sentence, sidebar, the page itself, and the walk around it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui.components import present
from pages.ui.downloads import figure
from pages.ui.downloads import run as downloads
from pages.ui.frame import arrival, body, encoder_map, quick, sentence, sidebar
from pages.ui.lessons import bar as lesson_bar
from pages.ui.lessons import library, story
from pages.ui.live import follow, strip
from pages.ui.live import seat as class_seat
from pages.ui.refusals import told
from pages.ui.server import inside, job_queue, upkeep, widget_cleanup
from pages.ui.state import session_state as state
from pages.ui.state import walk
from pages.ui.state.session import draw_seen
from pages.ui.state.site import Page
from pages.ui.step import guess, inspector, token_buttons
from pages.ui.text import plain


def draw(page: Page, top: Any, under: Any, bar: Any) -> None:
    """Draw a page, and into the rows `top`, `under` and `bar` above it what all pages share."""
    widget_cleanup.leave_out_forged()
    state.session().runs += 1
    walk.keep_up(page, inside.went_back())
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
        with said:
            sentence.known(trace)
        with told():
            strip.draw(page, now)
        with job_queue.refused(), told():
            strip.veil() if veiled else body.draw(page)
        if not veiled and (
            page is not library.HERE or not state.session().veiled
        ):  # an opened number may be the answer
            with told():
                inspector.draw(trace)
    walk.draw(at, "_below")
    if not asks:
        with told():
            guess.strip(trace)
    end(said)
    state.write_url()
    follow.settle(page)
    widget_cleanup.clean_up()


def draw_below(page: Page, above: Any, usual: Mapping[str, str], is_open: bool) -> None:
    """Draw what stands around a picture that the browser draws: the ways back `above` it, here the rest of the page.

    `usual` is what the picture shows where the URL does not say it.
    """
    widget_cleanup.leave_out_forged()
    state.session().runs += 1
    walk.keep_up(page, inside.went_back())
    walk.resume()
    with upkeep.attended():
        with job_queue.refused(), told(ends=True):
            trace = sidebar.undrawn(usual)
        walk.settle(page, trace.config)
        figure.settle(page)
        with above:
            lesson_bar.draw(page)
            story.way_back(page)
        said = st.container(key="said")
        if is_open:
            with job_queue.refused(), told():
                body.draw(page)
            with told():  # on Attention the picture itself shows a number that nobody opened below
                inspector.draw(trace, bool(state.session().trail) or page.key != "attention")
    end(said)
    state.write_choices()
    widget_cleanup.clean_up()


def end(said: Any) -> None:
    """Say what there is to say of a run, and that it has come whole."""
    if notes := state.session().notes:
        said.warning(plain("  \n".join(notes)))
        notes.clear()
    draw_seen()
