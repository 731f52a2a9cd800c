"""What a run draws: the bar, the page itself, and the walk around it."""

from importlib import import_module
from typing import Any, Protocol

import streamlit as st

from encoder.model.config import EncoderConfig
from pages.ui import session_runs
from pages.ui.component import component
from pages.ui.components import present
from pages.ui.downloads import keep
from pages.ui.frame import page_run
from pages.ui.lessons import bar as lesson_bar
from pages.ui.lessons import library, story_view
from pages.ui.refusals import shows_errors
from pages.ui.server import engine, file_links, jobs
from pages.ui.state import session_state as state
from pages.ui.state import walk
from pages.ui.state.session import draw_seen
from pages.ui.state.site import Page
from pages.ui.state.walk import Place
from pages.ui.text import plain


class Around(Protocol):
    """What the browser draws around a page."""

    def draw_bar(self, page: Page, /) -> None:
        """Draw the bar on top."""

    def draw_place(self, config: EncoderConfig, /) -> None:
        """Draw the layer and head."""

    def draw_class(self, page: Page, /) -> None:
        """Draw what stands on every page of a class."""


def draw(page: Page, around: Around, top: Any, bar: Any, under: Any) -> None:
    """Draw a page, and into the rows `top`, `bar` and `under` above it what all pages share."""
    state.session().runs += 1
    walk.keep_up(page)
    walk.resume()
    with engine.attended():
        with jobs.refused(), shows_errors(ends=True):
            encoder = page_run.read(page)
            page_run.fit(encoder)
            with top:
                around.draw_bar(page)
                page_run.draw_second()
            trace = page_run.run()
        walk.settle(page, trace.config)
        in_labs = library.in_labs(page)
        at = story_view.place() if page == story_view.HERE else walk.place(page)
        draw_arrival(page, at)
        with bar:
            if library.lab_has_place() if in_labs else page.place:
                around.draw_place(trace.config)
            lesson_bar.draw(page)
            story_view.way_back(page)
            walk.draw(at)
        with under:
            if at is not None:
                st.caption(at.words, width="content")
            with st.container(horizontal=True, horizontal_alignment="right", key="tools"):
                present.draw()
                keep.draw_all(trace)
        notes = st.container(key="said")
        with notes:
            page_run.offer_to_load()
            page_run.say_changes(trace.config)
            page_run.say_notes(session_runs.text_encoder(state.current().model), trace)
        around.draw_class(page)
        with jobs.refused(), shows_errors():
            draw_page(page)
    end(notes)
    state.write_url()
    file_links.forget_undrawn(state.session().runs)


def draw_page(page: Page) -> None:
    """Draw a page's own part of the app."""
    import_module(f"pages.{page.key}").draw()


def end(at: Any) -> None:
    """Say what there is to say of a run, and that it has come whole."""
    if notes := state.session().notes:
        at.warning(plain("  \n".join(notes)))
        notes.clear()
    draw_seen()


_component = component(__file__, "arrival", "<p role='status' aria-live='polite'></p>")


def draw_arrival(page: Page, at: Place | None) -> None:
    """Tell the browser which page and step it shows."""
    words = page.title if at is None else f"{at.words}: {at.here.title}"
    view = state.current()
    part = view.model if page.key == "models" else dict(view.choices).get("lessons_part", "")
    shows = f"{page.key} {bool(view.lesson)} {part}"
    _component(
        key="arrival",
        data={"page": shows, "said": words},
        on_colours_change=lambda: None,
    )
