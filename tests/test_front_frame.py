"""What a session does with what a component in its frame says: it may be anything."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from encoder.pictures.link import from_query
from pages.front import frame, site
from pages.ui.state.choice_names import names
from pages.ui.state.site import PAGES

MAIN = "../pages/main.py"


@pytest.mark.parametrize(
    "said", [None, "", 3, [], {}, {"key": 3}, {"key": ["start"]}, {"key": "../app"}, {"key": "none"}]
)
def test_what_names_no_page_leads_nowhere(said: object) -> None:
    assert frame.asked(said) == (None, {})


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        (None, {}),
        ([["sentence", "x"]], {}),
        ({"sentence": "Dogs bark.", "layer": "3", "head": "x"}, {"sentence": "Dogs bark.", "layer": "3", "head": "x"}),
        ({"sentence": 3, "layer": None, "model": ["base"]}, {}),
        ({"sentence": "x" * 1501, "edits": "\ud800", "cell": "a\x00"}, {}),
        ({"code": "1234", "lesson": "z:x", "embed": "true", "v": "1"}, {"v": "1"}),
        ({"word": "3", "off": "1", "unfolded": "1", "head": "3"}, {"head": "3"}),
    ],
)
def test_of_an_address_that_is_asked_for_only_what_one_may_say_is_left(query: object, kept: dict[str, str]) -> None:
    assert frame.asked({"key": "heads", "query": query}) == (site.page_of("heads"), kept)


@pytest.mark.parametrize("key", ["start", "attention"])
def test_a_page_of_the_front_is_told_of_all_that_the_front_chooses(key: str) -> None:
    query = {"word": "3", "off": "1", "unfolded": "1", "v": "1"}
    assert frame.asked({"key": key, "query": query}) == (site.page_of(key), query)


def test_a_link_of_the_front_opens_a_page_of_the_server_without_a_word_about_what_only_the_front_knows() -> None:
    query = {"word": "3", "off": "1", "unfolded": "1", "layer": "2", "v": "1"}
    view, notes = from_query(query, lambda model: None, frozenset(), names())
    assert (view.layer, notes) == (2, [])
    _, notes = from_query(query | {"nothing": "1"}, lambda model: None, frozenset(), names())
    assert len(notes) == 1 and "nothing" in notes[0] and "word" not in notes[0]


def test_every_page_has_an_address_and_a_name_of_its_own() -> None:
    listed = site.listed()
    assert len({str(one["address"]) for one in listed}) == len({str(one["key"]) for one in listed}) == len(PAGES) + 2
    assert [site.page_of(str(one["key"])) for one in listed] == [site.START, site.ATTENTION, *PAGES]
    assert [one["address"] for one in listed[:3]] == ["/", "/attention", "/sentence"]


def opened(monkeypatch: pytest.MonkeyPatch, switch: str) -> Any:
    """The app's main script, as a test runs it."""
    monkeypatch.setenv("ENCODER_FRONT", switch)
    return AppTest.from_file(MAIN, default_timeout=60).run()


def test_without_the_switch_the_first_page_is_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(monkeypatch, "")
    assert not app.exception and app.text_input(key="sentence") and app.title[0].value == PAGES[0].title


def test_with_the_switch_start_is_one_component_and_no_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(monkeypatch, "new")
    assert not app.exception and len(app.get("bidi_component")) == 1 and not app.title and not app.text_input
    assert not app.session_state["session"].view
