"""Which page shows which step, and Previous and Next between the pages that the server draws."""

from dataclasses import dataclass

import streamlit as st

from encoder.browser.page_table import ALONG
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.glossary import meant
from encoder.model.steps.step import Step
from pages.ui.state import session_state as state
from pages.ui.state import site
from pages.ui.state.session import OF_BROWSER
from pages.ui.state.site import PAGES, Page

PAGE_OF = {part: page for page in PAGES for part in page.parts}


@dataclass(frozen=True)
class Stop:
    """Where Previous and Next lead: a page, what a person reads, and the stop of the story, from 1, where it is one."""

    page: Page
    title: str
    story: int = 0


def page_of(step: Step) -> Page:
    """Return the page that explains a step."""
    return PAGE_OF["layer_output" if step.local == "output" and step.layer is not None else step.part]


def steps_of(page: Page, config: EncoderConfig, layer: int) -> dict[str, Step]:
    """Return the steps of a page at a layer, by their names within it, in the order of computation."""
    return {step.local: step for step in catalogue(config) if step.layer in (None, layer) and page_of(step) == page}


def first_of(names: tuple[str, ...], config: EncoderConfig, layer: int) -> Step | None:
    """Return the first of some steps that a model has at a layer; of a beginning such as "mlm." the last."""
    here = [step for step in catalogue(config) if step.layer in (None, layer)]
    matches = ([step for step in here if meant(step.local, name)] for name in names)
    return next((some[-1] for some in matches if some), None)


def current(page: Page, config: EncoderConfig) -> Step:
    """Return the step of a page that the view names."""
    view = state.current()
    return steps_of(page, config, view.layer)[view.step]


def keep_up(page: Page) -> None:
    """Stay on the session's page where a click comes from the page before: over a slow line that was still there."""
    here = state.session()
    if here.page not in ("", page.key) and state.is_known(page.key):
        here.go_to = here.go_to or site.page_of(here.page).key
        resume()


def resume() -> None:
    """Go to the page that a button asked for. Before anything is drawn."""
    here = state.session()
    key, here.go_to = here.go_to, ""
    if key:
        here.page = key
        query = state.written()
        if here.page in site.DRAWN:
            query = state.in_full(state.current())
        state.had(here.page, {name: text for name, text in query.items() if name not in OF_BROWSER})
        script = next(script for script, page in here.scripts.items() if page.key == key)
        st.switch_page(script, query_params=query)


def settle(page: Page, config: EncoderConfig) -> None:
    """Make sure that the chosen step is one that this page has; pages without steps leave it as it is."""
    state.session().page = page.key
    offered = steps_of(page, config, state.current().layer)
    if offered and state.current().step not in offered:
        state.change(step=page.opens_on if page.opens_on in offered else next(iter(offered)))


@dataclass(frozen=True)
class Place:
    """Where a page stands: what leads there and from there, None at an end, and how that is said."""

    here: Stop
    previous: Stop | None
    next: Stop | None
    words: str


def place(page: Page) -> Place | None:
    """Return where the screen is, among pages beside those along the encoder; None for one with buttons of its own."""
    if not page.walk:
        return None
    row = [Stop(each, each.title) for each in PAGES if each.walk and each.section != ALONG]
    at = row.index(Stop(page, page.title))
    return Place(row[at], row[at - 1] if at else None, row[at + 1] if at + 1 < len(row) else None, page.section)


def draw(at: Place | None) -> None:
    """Draw both buttons, each with the name of what it leads to."""
    if at is None:
        return
    with st.container(horizontal=True, key="walk"):
        button("previous", "Previous", "Left", at.previous)
        button("next", "Next", "Right", at.next)


def button(key: str, text: str, shortcut: str, to: Stop | None) -> None:
    """Draw a way to a stop, by click or arrow key."""
    st.button(
        text if to is None else f"{text}: {to.title}",
        key=key,
        type="primary" if text == "Next" and to is not None else "secondary",
        shortcut=shortcut,
        disabled=to is None,
        on_click=go,
        args=(to,),
        width="stretch",
    )


def go(to: Stop) -> None:
    """Ask for a stop: its page, if that is another one, at the start of the next run."""
    if to.story:
        state.remember("stop", to.story, 0)
    state.change(cell=None)
    if to.page.key != state.session().page:
        state.session().go_to = to.page.key


def show_step(step: Step) -> None:
    """Ask for the page of a step, at its layer."""
    state.change(step=step.local, cell=None, layer=state.current().layer if step.layer is None else step.layer)
    state.session().go_to = page_of(step).key
