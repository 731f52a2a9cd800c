"""Previous and next: from the sentence through the steps of the chosen layer to the guess, page by page."""

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from encoder.model.config import EncoderConfig
from encoder.steps.catalogue import catalogue
from encoder.steps.glossary import meant
from pages.ui.state import session_state as state
from pages.ui.state import site
from pages.ui.state.session import OF_BROWSER
from pages.ui.state.site import PAGES, STEPS, Page

PAGE_OF = {part: page for page in PAGES for part in page.parts}


@dataclass(frozen=True)
class Stop:
    """One stop of the walk: a page, and on most pages a step of the catalogue.

    `step` is its name within the layer, as the state and the URL spell it; `name` the full name; `title` what a person
    reads. `story` is the stop of the story, counted from 1, where it is one.
    """

    page: Page
    step: str = ""
    layer: int | None = None
    name: str = ""
    title: str = ""
    story: int = 0


def page_of(layer: int | None, step: str) -> Page:
    """The page that explains a step."""
    if step == "output" and layer is not None:
        return PAGE_OF["layer_output"]
    return PAGE_OF[step.split(".")[0]]


@lru_cache(maxsize=32)
def stops(config: EncoderConfig) -> tuple[Stop, ...]:
    """Every stop there is: the typed sentence, all steps in the order of computation, and the pages without steps."""
    steps = [Stop(page_of(s.layer, s.local), s.local, s.layer, s.name, s.title) for s in catalogue(config)]
    first, *others = [Stop(page, title=page.title) for page in PAGES if page.walk and not page.parts]
    return (first, *steps, *others)


@lru_cache(maxsize=256)
def way(config: EncoderConfig, layer: int) -> tuple[Stop, ...]:
    """The way from the typed sentence through one layer to the last step of all.

    The residual of a sublayer leaves before it, but is read where it is added.
    """
    found = [stop for stop in stops(config) if stop.page.section == STEPS and stop.layer in (None, layer)]
    for residual in [stop for stop in found if stop.step.endswith(".residual")]:
        found.remove(residual)
        part = residual.step.removesuffix(".residual")
        found.insert(next(i for i, stop in enumerate(found) if stop.step == f"{part}.sum"), residual)
    return tuple(found)


@lru_cache(maxsize=32)
def beside(config: EncoderConfig) -> tuple[Stop, ...]:
    """The pages that are no part of that way, in the order of the menu."""
    return tuple(stop for stop in stops(config) if stop.page.section != STEPS)


def stops_of(page: Page, config: EncoderConfig, layer: int) -> dict[str, Stop]:
    """The stops of a page at a layer, by step, in the order of computation."""
    return {stop.step: stop for stop in stops(config) if stop.page == page and stop.layer in (None, layer)}


def first_of(names: tuple[str, ...], config: EncoderConfig, layer: int) -> Stop | None:
    """Where a model shows the first of some steps that it has at a layer; of a beginning such as "mlm." the last."""
    here = [stop for stop in stops(config) if stop.step and stop.layer in (None, layer)]
    found = ([stop for stop in here if meant(stop.step, name)] for name in names)
    return next((some[-1] for some in found if some), None)


def current(page: Page, config: EncoderConfig) -> Stop:
    """The stop that is on the screen."""
    view = state.current()
    return stops_of(page, config, view.layer)[view.step]


def keep_up(page: Page) -> None:
    """Stay on the session's page where a click comes from the page before: over a slow line that was still there."""
    here = state.session()
    if here.page not in ("", page.key) and state.is_known(page.key):
        here.go_to = here.go_to or site.page_of(here.page).script
        resume()


def resume() -> None:
    """Go to the page that a button asked for. Before anything is drawn."""
    here = state.session()
    script, here.go_to = here.go_to, ""
    if script:
        here.page = next(page.key for page in PAGES if page.script == script)
        query = state.written()
        if here.page in site.DRAWN:
            query = state.in_full(state.current()) | ({"more": "1"} if here.opens_more else {})
        here.opens_more = False
        state.had(here.page, {name: text for name, text in query.items() if name not in OF_BROWSER})
        st.switch_page(script, query_params=query)


def settle(page: Page, config: EncoderConfig) -> None:
    """Make sure that the chosen step is one that this page has."""
    state.session().page = page.key
    if not page.walk:
        return
    view = state.current()
    offered = stops_of(page, config, view.layer)
    if view.step not in offered:
        state.change(step=page.opens_on if page.opens_on in offered else next(iter(offered)))


@dataclass(frozen=True)
class Place:
    """Where a page's stop is: what leads there and from there, None at an end, and how that is said."""

    here: Stop
    previous: Stop | None
    next: Stop | None
    said: str


def place(page: Page, config: EncoderConfig) -> Place | None:
    """Where the screen is; None for a page with buttons of its own."""
    if not page.walk:
        return None
    layer, here = state.current().layer, current(page, config)
    on_the_way = page.section == STEPS
    row = way(config, layer) if on_the_way else beside(config)
    at = row.index(here)
    where = f"Step {at + 1} of {len(row)}" if on_the_way else page.section
    where += f" · layer {layer}" if here.layer is not None else ""
    return Place(here, row[at - 1] if at else None, row[at + 1] if at + 1 < len(row) else None, where)


def draw(at: Place | None) -> None:
    """Both buttons, each with the name of what it leads to."""
    if at is None:
        return
    with st.container(horizontal=True, key="walk"):
        button("previous", "Previous", "Left", at.previous, at.here)
        button("next", "Next", "Right", at.next, at.here)


def button(key: str, text: str, shortcut: str, to: Stop | None, here: Stop) -> None:
    """A step to a stop, by click or arrow key."""
    name = "" if to is None else to.title if to.page == here.page else to.page.title
    st.button(
        f"{text}: {name}" if name else text,
        key=key,
        type="primary" if text == "Next" and to is not None else "secondary",
        shortcut=shortcut,
        disabled=to is None,
        on_click=go,
        args=(to,),
        width="stretch",
    )


def go(to: Stop) -> None:
    """Ask for a stop: its step and layer now, and its page, if that is another one, at the start of the next run."""
    if to.story:
        state.remember("stop", to.story, 0)
    state.change(step=to.step, cell=None, layer=state.current().layer if to.layer is None else to.layer)
    if to.page.key != state.session().page:
        state.session().go_to = to.page.script
