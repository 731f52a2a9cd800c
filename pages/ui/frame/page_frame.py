"""What a run draws: the bar, and the page itself."""

from importlib import import_module
from typing import Any, Protocol

import streamlit as st

from encoder.model.config import EncoderConfig
from pages.ui import session_runs
from pages.ui.component import component
from pages.ui.frame import page_run
from pages.ui.lessons import library
from pages.ui.refusals import shows_errors
from pages.ui.server import engine, file_links, jobs
from pages.ui.state import page_steps
from pages.ui.state import session_state as state
from pages.ui.state.session import draw_seen
from pages.ui.state.site import Page
from pages.ui.text import plain


class Around(Protocol):
    """What the browser draws around a page."""

    def draw_bar(self, page: Page, /) -> None:
        """Draw the bar on top."""

    def draw_save(self, /) -> None:
        """Hand the pictures of the page to Save in the bar."""

    def draw_place(self, config: EncoderConfig, /) -> None:
        """Draw the layer and head."""

    def draw_lesson(self, page: Page, /) -> None:
        """Draw the strip of a lesson."""

    def draw_class(self, page: Page, /) -> None:
        """Draw what stands on every page of a class."""


def draw(page: Page, around: Around) -> None:
    """Draw a page, and around it what all pages share."""
    state.session().runs += 1
    state.session().pictures = {}
    if state.session().page != page.key:
        state.session().components.clear()
    page_steps.keep_up(page)
    page_steps.resume()
    with engine.attended():
        with jobs.refused(), shows_errors(ends=True):
            encoder = page_run.read(page)
            page_run.fit(encoder)
            if is_list := library.shows_list(page):
                library.leave_lesson()
            around.draw_bar(page)
            above = st.container(key="above", gap=None)
            with above:
                page_run.draw_second()
            trace = None if is_list else page_run.run()  # a list shows nothing of a run
        state.session().page = page.key
        with above:
            draw_arrival(page)
            if trace and (lab := library.lab_of(page)) and lab.place:
                with st.container(horizontal=True, vertical_alignment="center", key="ways"):
                    around.draw_place(trace.config)
            notes = st.container()
            with notes:
                page_run.offer_to_load()
                if trace:
                    page_run.say_changes(trace.config)
                    page_run.say_notes(session_runs.text_encoder(state.current().model), trace)
        with jobs.refused(), shows_errors():
            if library.asks(page):
                st.html("<p class='lesson-shut'>The picture opens with the answer.</p>")
            else:
                draw_page(page)
    with above:
        around.draw_lesson(page)
        around.draw_class(page)  # of the view that the page has come to: some begin anew with an example of theirs
        around.draw_save()
        end(notes)
    state.write_url()
    file_links.forget_undrawn(state.session().runs)


def draw_page(page: Page) -> None:
    """Draw a page's own part of the app."""
    import_module(f"pages.{page.key}").draw()


def end(place: Any) -> None:
    """Say what there is to say of a run, and that it has come whole."""
    if notes := state.session().notes:
        place.warning(plain("  \n".join(notes)))
        notes.clear()
    draw_seen()


_component = component(__file__, "arrival", "<p role='status' aria-live='polite'></p>")


def draw_arrival(page: Page) -> None:
    """Tell the browser which page and part of it is shown."""
    view = state.current()
    part = view.model if page.key == "models" else dict(view.choices).get("lab", "")
    shows = f"{page.key} {bool(view.lesson)} {part}"
    _component(
        key="arrival",
        data={"page": shows, "said": page.title},
        on_colours_change=lambda: None,
    )
