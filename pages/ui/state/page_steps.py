"""Which page shows which step, and the way from one page to another."""

import streamlit as st

from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.glossary import meant
from encoder.model.steps.step import Step
from pages.ui.state import session_state as state
from pages.ui.state import site
from pages.ui.state.session import OF_BROWSER
from pages.ui.state.site import PAGES, Page

PAGE_OF = {part: page for page in PAGES for part in page.parts}


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
