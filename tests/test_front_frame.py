"""What a session does with what a component in its frame says: it may be anything."""

import json

import pytest
from page_tools import APP, healthy, turn_to
from streamlit.testing.v1 import AppTest

from encoder.pictures.link import from_query
from pages.front import frame
from pages.ui.state import site
from pages.ui.state.choice_names import names
from pages.ui.state.site import DRAWN, PAGES


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
        ({"word": "3", "off": "1", "maps": "1", "after": "2", "guess": "is", "head": "3"}, {"head": "3"}),
    ]
    for query, left in kept:
        assert frame.destination({"key": "training", "query": query}) == (site.named("training"), left)
    of_front = {"word": "3", "off": "1", "maps": "1", "after": "input", "guess": "is", "v": "1"}
    for key in ("start", "attention", "add_norm", "what_if", "output"):
        assert frame.destination({"key": key, "query": of_front}) == (site.named(key), of_front)


def test_a_link_of_the_front_opens_a_page_of_the_server_without_a_word_about_what_only_the_front_knows() -> None:
    query = {"word": "3", "off": "1", "maps": "1", "after": "3", "guess": "is", "layer": "2", "v": "1"}
    view, notes = from_query(query, lambda model: None, names())
    assert (view.layer, notes) == (2, [])
    _, notes = from_query(query | {"nothing": "1"}, lambda model: None, names())
    assert len(notes) == 1 and "nothing" in notes[0] and "word" not in notes[0]


def test_every_page_has_an_address_and_a_name_of_its_own() -> None:
    listed = site.listed()
    assert len({str(one["address"]) for one in listed}) == len({str(one["key"]) for one in listed}) == len(PAGES)
    assert [site.named(str(one["key"])) for one in listed] == list(PAGES)
    assert [one["key"] for one in listed if one["front"]] == [*DRAWN] and len(DRAWN) == 9
    assert [one["address"] for one in listed[:2]] == ["/", "/embedding"]


@pytest.mark.parametrize("page", ["start", "heads"])
def test_a_page_that_the_browser_draws_is_one_component_whatever_its_address_says(page: str) -> None:
    everything = {"more": "jobs,several", "some_heads": "1,5", "layer": "2", "cell": "layers.2.attention.q:1,3,4"}
    for query in ({}, everything):
        app = AppTest.from_file(APP, default_timeout=60)
        turn_to(app, page)
        for name, text in query.items():
            app.query_params[name] = text
        healthy(app.run())
        assert [one.proto.id.rsplit("-", 1)[1] for one in app.get("bidi_component")] == ["front"]
        told = json.loads(app.get("bidi_component")[0].proto.json)
        assert told["page"] == page and len(app.main.children) <= 2 and not app.sidebar.children
        assert not app.session_state["session"].view
