"""Previous and next: through the steps of a layer and on to the next layer, page by page."""

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from encoder.model.config import PRESETS, EncoderConfig
from encoder.steps.catalogue import catalogue
from pages.ui.state import session_state as state
from pages.ui.state.site import PAGES, Page

PAGE_OF = {part: page for page in PAGES for part in page.parts}
BEFORE_POSITION = ("embedding.tokens", "embedding.scaled")  # the rest of the embedding stands on the page after
EVERY_STEP = EncoderConfig(embedding_size=64, embedding_norm=True, n_segments=2, final_norm=True, mlm_head=True)
KNOWN_STEPS = frozenset(step.local for config in (*PRESETS.values(), EVERY_STEP) for step in catalogue(config))


@dataclass(frozen=True)
class Stop:
    """One stop of the walk: a page, and on most pages a step of the catalogue.

    `step` is its name within the layer, as the state and the URL spell it; `name` the full name.
    """

    page: Page
    step: str = ""
    layer: int | None = None
    name: str = ""


def page_of(layer: int | None, step: str) -> Page:
    """The page that explains a step."""
    if step.startswith("embedding.") and step not in BEFORE_POSITION:
        return PAGE_OF["position"]
    if step == "output" and layer is not None:
        return PAGE_OF["layer_output"]
    return PAGE_OF[step.split(".")[0]]


@lru_cache(maxsize=32)
def stops(config: EncoderConfig) -> tuple[Stop, ...]:
    """Every stop from the typed sentence to the cost of the run, in the order of computation."""
    steps = [Stop(page_of(step.layer, step.local), step.local, step.layer, step.name) for step in catalogue(config)]
    first, *others = [Stop(page) for page in PAGES if page.walk and not page.parts]
    return (first, *steps, *others)


def stops_of(page: Page, config: EncoderConfig, layer: int) -> dict[str, Stop]:
    """The stops of a page at a layer, by step, in the order of computation."""
    return {stop.step: stop for stop in stops(config) if stop.page == page and stop.layer in (None, layer)}


def current(page: Page, config: EncoderConfig) -> Stop:
    """The stop that is on the screen."""
    view = state.current()
    return stops_of(page, config, view.layer)[view.step]


def resume() -> None:
    """Go to the page that a button asked for. Before anything is drawn."""
    here = state.session()
    script, here.go_to = here.go_to, ""
    if script:
        st.switch_page(script, query_params=state.written())


def settle(page: Page, config: EncoderConfig) -> None:
    """Make sure that the chosen step is one that this page has."""
    state.session().page = page.key
    if not page.walk:
        return
    view = state.current()
    offered = stops_of(page, config, view.layer)
    if view.step not in offered:
        state.change(step=page.opens_on if page.opens_on in offered else next(iter(offered)))


def draw(page: Page, config: EncoderConfig) -> None:
    """The bar with both buttons and where we are."""
    if not page.walk:
        return
    way = stops(config)
    here = way.index(current(page, config))
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="walk"):
        button("previous", "Previous", "Left", way[here - 1] if here > 0 else None)
        button("next", "Next", "Right", way[here + 1] if here + 1 < len(way) else None, main=here > 0)
        st.caption(f"Step {here + 1} of {len(way)}", width="content")


def button(key: str, text: str, shortcut: str, to: Stop | None, main: bool = False) -> None:
    """A step to a stop, by click or arrow key; `main` makes it the one that stands out."""
    st.button(
        text,
        key=key,
        type="primary" if main else "secondary",
        shortcut=shortcut,
        disabled=to is None,
        on_click=go,
        args=(to,),
    )


def go(to: Stop) -> None:
    """Ask for a stop: its step and layer now, its page at the start of the run that follows."""
    state.change(step=to.step, cell=None, layer=state.current().layer if to.layer is None else to.layer)
    state.session().go_to = to.page.script
