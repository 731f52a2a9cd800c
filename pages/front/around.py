"""What the browser draws around a page of the server's: the bar on top, the layer and head of a lab, a class."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from encoder.model.config import EncoderConfig
from encoder.pictures.link import one_line
from encoder.pictures.view import EXAMPLES
from pages.ui import browser_scripts, session_runs
from pages.ui.component import component
from pages.ui.downloads import keep
from pages.ui.frame import page_run
from pages.ui.frame.page_run import LONGEST
from pages.ui.lessons import library
from pages.ui.server import offered_models, task_models
from pages.ui.state import session_state as state
from pages.ui.state import site
from pages.ui.state.seat import JOINS, LONGEST_CODE
from pages.ui.state.site import Page, base

BAR, PLACE, SAVE, CLASS, LESSON = "around", "place", "save", "class", "lesson"

_component = component(__file__, "around", "<div class='around'></div>")


def draw_bar(page: Page) -> None:
    """Draw the bar: the menu of pages, the sentence, other sentences, the model, Save.

    In a frame of another page there is no menu: that page has its own.
    """
    view = state.current()
    named = {
        name: offered_models.offer(name).label[:60] for name in dict.fromkeys((*offered_models.names(), view.model))
    }
    draw(
        BAR,
        {
            "page": page.key,
            "pages": tuple(site.listed()),
            "menu": not st.context.is_embedded,
            "reads": page.unread not in view.choices,
            "models": tuple({"name": name, "title": title} for name, title in named.items()),
            "examples": offered(),
            "sentence": view.sentence,
            "model": view.model,
            "mask": session_runs.text_encoder(view.model).mask_token,
            "query": tuple(state.in_full(view).items()),
            "run": f"{base()}/api/run",
        },
        take,
    )


def draw_save() -> None:
    """Hand the pictures of the page, which are known when it is drawn, to Save in the bar."""
    query = tuple(state.in_full(state.current()).items())
    draw(SAVE, {"pictures": tuple(keep.offered()), "query": query}, lambda: None)


def draw_place(config: EncoderConfig) -> None:
    """Draw the layer and head that are chosen, of those that the model has."""
    view = state.current()
    place = {"layers": config.n_layers, "heads": config.n_heads, "layer": view.layer, "head": view.head}
    draw(PLACE, place, lambda: take_place(config))


def draw_class(page: Page) -> None:
    """Draw the line of a class, where this tab is in one, and on the page of the class that as well."""
    code = st.query_params.get(JOINS, "")[:LONGEST_CODE]
    draw(CLASS, on_screen(page) | {"classes": f"{base()}/api/class", "code": code}, lambda: None)


def draw_lesson(page: Page) -> None:
    """Draw the strip of a lesson, where the address names one."""
    draw(LESSON, on_screen(page) | {"lesson": f"{base()}/api/lesson"}, take_answer)


def on_screen(page: Page) -> dict[str, object]:
    """Return what a class and a lesson know of the screen: the page, its view in full, and the ways to others."""
    query = tuple(state.in_full(state.current()).items())
    return {"page": page.key, "pages": tuple(site.listed()), "query": query}


def take_answer() -> None:
    """Take over that a step was answered: what it asked about may be seen."""
    values = read_event(LESSON, "set")
    lesson, at = values.get("lesson"), values.get("at")
    if isinstance(lesson, str) and type(at) is int and lesson in library.offered():
        state.session().answered.add((lesson, at))


def draw(name: str, shown: Mapping[str, object], act: Callable[[], None]) -> None:
    """Draw one of them, which tells by `act` what was chosen in it."""
    script = browser_scripts.address("front.js")
    _component(
        key=name,
        data={"script": script, "part": name, **shown},
        on_go_change=go,
        on_set_change=act,
    )


def offered() -> tuple[str, ...]:
    """Return sentences to choose from: the person's own while another is on the screen, and examples."""
    view = state.current()
    examples = task_models.examples(view.model) if task_models.is_one(view.model) else EXAMPLES
    if not view.lesson and view.sentence not in (*examples, *EXAMPLES):
        state.session().own = view.sentence
    return tuple(text for text in dict.fromkeys((state.session().own, *examples)) if text)


def go() -> None:
    """Go to the page that was chosen in the menu."""
    values = read_event(BAR, "go")
    to = site.named(values.get("key"))
    if to is not None and to.key != state.session().page:
        state.session().go_to = to.key


def take() -> None:
    """Take over another sentence or model. The browser may say anything: what is none is left out."""
    values = read_event(BAR, "set")
    if isinstance(text := values.get("sentence"), str):
        text, examples = one_line(text[:LONGEST]), offered()
        if text and text != state.current().sentence:
            is_own = text not in examples
            state.change(sentence=text, **({} if is_own else {"hidden": (), "cell": None}))
            if is_own:
                state.keep_own(text)
    if (
        isinstance(name := values.get("model"), str)
        and name in offered_models.names()
        and name != state.current().model
    ):
        page_run.show_model(name)


def take_place(config: EncoderConfig) -> None:
    """Take over another layer or head."""
    values = read_event(PLACE, "set")
    for name, count in (("layer", config.n_layers), ("head", config.n_heads)):
        if type(number := values.get(name)) is int and 0 <= number < count:
            state.change(**{name: number})


def read_event(name: str, what: str) -> dict[str, Any]:
    """Return what one of the two says; nothing where it says no such thing."""
    value = state.picked(name, what) if state.has(name) else None  # it may be of a page that was left meanwhile
    return dict(value) if isinstance(value, dict) else {}
