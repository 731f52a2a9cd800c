"""What a session does with what a component in its frame says: it may be anything."""

import json
from dataclasses import replace
from typing import Any

import pytest
from page_tools import turn_to
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from encoder.pictures.link import from_query
from pages.front import below, frame
from pages.ui.state import site
from pages.ui.state.choice_names import names
from pages.ui.state.site import DRAWN, PAGES

MAIN = "../pages/main.py"


def test_of_what_a_browser_asks_for_only_what_one_may_say_is_left() -> None:
    for said in (None, "", 3, [], {}, {"key": 3}, {"key": ["start"]}, {"key": "../app"}, {"key": "none"}):
        assert frame.destination(said) == (None, {}), said
    here = {"sentence": "Dogs bark.", "layer": "3", "head": "x"}
    kept: list[tuple[object, dict[str, str]]] = [
        (None, {}),
        ([["sentence", "x"]], {}),
        (here, here),
        ({"sentence": 3, "layer": None, "model": ["base"]}, {}),
        ({"sentence": "x" * 1501, "edits": "\ud800", "cell": "a\x00"}, {}),
        ({"code": "1234", "embed": "true", "v": "1"}, {"v": "1"}),
        ({"word": "3", "off": "1", "maps": "1", "after": "2", "lens_word": "is", "head": "3"}, {"head": "3"}),
    ]
    for query, left in kept:
        assert frame.destination({"key": "training", "query": query}) == (site.named("training"), left)
    of_front = {"word": "3", "off": "1", "maps": "1", "after": "input", "lens_word": "is", "v": "1"}
    for key in ("start", "attention", "add_norm", "what_if", "output"):
        assert frame.destination({"key": key, "query": of_front}) == (site.named(key), of_front)


def test_a_link_of_the_front_opens_a_page_of_the_server_without_a_word_about_what_only_the_front_knows() -> None:
    query = {"word": "3", "off": "1", "maps": "1", "after": "3", "lens_word": "is", "layer": "2", "v": "1"}
    view, notes = from_query(query, lambda model: None, names())
    assert (view.layer, notes) == (2, [])
    _, notes = from_query(query | {"nothing": "1"}, lambda model: None, names())
    assert len(notes) == 1 and "nothing" in notes[0] and "word" not in notes[0]


def test_every_page_has_an_address_and_a_name_of_its_own() -> None:
    listed = site.listed()
    assert len({str(one["address"]) for one in listed}) == len({str(one["key"]) for one in listed}) == len(PAGES)
    assert [site.named(str(one["key"])) for one in listed] == list(PAGES)
    assert [one["key"] for one in listed if one["front"]] == [*DRAWN] and len(DRAWN) == 9
    assert [one["address"] for one in listed[:2]] == ["/", "/story"]


def opened(page: str = "", **query: str) -> AppTest:
    """A page of the app, the first one where none is named, as a browser asks for it."""
    app = AppTest.from_file(MAIN, default_timeout=60)
    if page:
        turn_to(app, page)
    for name, text in query.items():
        app.query_params[name] = text
    return app.run()


def told(app: AppTest) -> dict[str, Any]:
    """What the component in the frame is told."""
    found: dict[str, Any] = json.loads(next(c for c in app.get("bidi_component") if "-front" in c.proto.id).proto.json)
    return found


def test_start_is_one_component_and_no_widget() -> None:
    app = opened()
    assert not app.exception and len(app.get("bidi_component")) == 1 and not app.title and not app.text_input
    assert not app.session_state["session"].view and not told(app)["open"] and not told(app)["tells"]


@pytest.mark.slow
def test_an_address_that_asks_for_what_stands_below_opens_it() -> None:
    for query in ({"more": "1"}, {"some_heads": "1,5"}):
        app = opened(**query)
        assert not app.exception and told(app)["open"] and told(app)["tells"]
        assert "The whole run in one picture" in [header.value.replace("\\", "") for header in app.header]
        assert app.session_state["session"].view.sentence == "The keys to the cabinet [MASK] on the table."
        assert not app.warning and not app.sidebar.children


NUMBERS: list[tuple[str, dict[str, str], tuple[str, str]]] = [  # a page, its address, and the step and cell asked for
    ("add_norm", {"step": "add_norm_1.mean"}, ("layers.*.add_norm_1.mean", "")),
    ("add_norm", {"step": "add_norm_2.sum"}, ("", "")),
    ("add_norm", {"step": "attention.q"}, ("", "")),
    (
        "feed_forward",
        {"step": "feed_forward.output", "cell": "layers.2.feed_forward.output:1,3"},
        ("layers.*.feed_forward.output", "layers.2.feed_forward.output:1,3"),
    ),
    (
        "feed_forward",
        {"step": "feed_forward.output", "cell": "layers.2.attention.q:1,3,4"},
        ("layers.*.feed_forward.output", ""),
    ),
    ("feed_forward", {}, ("", "")),
    ("output", {"step": "mlm.logits"}, ("mlm.logits", "")),
    ("start", {"cell": "layers.2.attention.q:1,3,4"}, ("", "layers.2.attention.q:1,3,4")),
    ("attention", {"step": "attention.q", "cell": "layers.2.attention.q:1,3,4"}, ("", "")),
]


@pytest.mark.slow
def test_a_link_to_what_the_picture_does_not_show_asks_for_the_numbers_of_its_step() -> None:
    for page, query, numbers in NUMBERS:
        app = opened(page, **query)
        assert not app.exception and tuple(told(app)["numbers"]) == numbers, (page, query)
        assert not told(app)["open"] and not app.get("plotly_chart")


def test_every_choice_that_opens_it_is_one_that_a_page_asks_for() -> None:
    assert {name for page in PAGES for name in below.opens(page)} - {"step"} <= names()


@pytest.mark.slow
def test_what_is_pressed_below_is_handed_to_the_picture() -> None:
    app = opened("start", more="1", layer="2", head="3")
    assert told(app)["handed"] == [0, {}]
    before = told(app)["runs"]
    app.run()
    assert told(app)["runs"] != before  # what a run has made below may be shown in the picture
    state = app.session_state["session"]
    state.view = replace(state.view, hidden=(2,))
    app.run()
    number, query = told(app)["handed"]
    assert number == 1 and not app.exception
    assert {name: query[name] for name in ("layer", "head", "hidden")} == {"layer": "2", "head": "3", "hidden": "2"}
    assert ["".join(app.query_params[name]) for name in ("layer", "head", "hidden")] == ["2", "3", "2"]


def overtaken(*_: object) -> None:
    """Where a run stops because the next one began."""
    raise StopException


@pytest.mark.slow
def test_what_is_pressed_below_while_a_run_has_only_begun_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("heads", more="1")
    with monkeypatch.context() as patched:
        patched.setattr("pages.ui.frame.page_run.run", overtaken)
        app.query_params["layer"] = "2"  # chosen in the picture
        app.run()
    state = app.session_state["session"]
    state.view = replace(state.view, hidden=(2,))  # pressed below meanwhile
    app.run()
    count, shown = told(app)["handed"]
    assert (count, shown["hidden"], shown["layer"]) == (1, "2", "2") and not app.exception


@pytest.mark.slow
@pytest.mark.parametrize("stopped_in", ["pages.ui.frame.page_run.run", "pages.ui.frame.page_frame.draw_page"])
def test_a_run_that_the_next_choice_overtook_takes_nothing_back(
    stopped_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened("heads", more="1")
    with monkeypatch.context() as patched:
        patched.setattr(stopped_in, overtaken)
        app.query_params["layer"] = "2"
        app.run()
    app.query_params["layer"], app.query_params["edits"] = "3", "layers.3.attention.heads:zero:h=1"
    app.run()
    assert told(app)["handed"][0] == 0 and not app.exception
    assert "".join(app.query_params["layer"]) == "3"
    assert "".join(app.query_params["edits"]) == "layers.3.attention.heads:zero:h=1"
    state = app.session_state["session"]
    state.view = replace(state.view, hidden=(2,))  # what is pressed below is handed over as ever
    app.run()
    assert told(app)["handed"][0] == 1
