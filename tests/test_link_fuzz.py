"""Links made up from a grammar, on every page and in the smallest models: no exception, and no traceback in the log.

Most of them are read into a view here, which takes a millisecond each, and some are opened as pages. The nightly form,
`python tests/fuzz_links.py --links 20000`, opens all of them, with another seed each time.
"""

from collections.abc import Iterator
from itertools import cycle

import pytest
from fuzz_links import fuzz, log, opened
from link_grammar import SHAPES, make_models
from more_tools import section, words
from page_tools import healthy, said
from streamlit.testing.v1 import AppTest
from tiers import share_of
from visits import link

from encoder import PRESETS
from encoder.edits.edit import check
from encoder.edits.edit_text import text_to_edits
from encoder.pictures.link import from_query, to_query
from pages.ui.server import engine, offered_models
from pages.ui.state.choice_names import names

pytestmark = pytest.mark.slow

LINKS, READ, SEED = 150, 500, 20
LENGTHS = (1, 2, 3, 12, 512)  # tokens
TWO = "built:n_heads=1,d_model=2,n_layers=1,d_ff=1,max_positions=2"


@pytest.fixture(scope="module", autouse=True)
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The smallest models that links may name."""
    root = tmp_path_factory.mktemp("models")
    make_models(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENCODER_MODELS", str(root))
        engine.model_cache.clear()
        yield


@pytest.mark.nightly
def test_made_up_links_open_on_every_page() -> None:
    print(f"seed {SEED}")
    fuzz(LINKS, SEED)


def read(page: str, query: dict[str, str]) -> None:
    """A link becomes a view that fits into every model, or sentences; the link of that view asks for the same."""
    view, notes = from_query(query, offered_models.check, names())
    assert all(10 < len(note) < 2000 for note in notes)
    assert from_query(to_query(view), offered_models.check, names()) == (view, [])
    for config, n in zip((PRESETS["paper"], *SHAPES.values()), cycle(LENGTHS), strict=False):
        inside, said = view.within(config, n)
        assert 0 <= inside.layer < config.n_layers and 0 <= inside.head < config.n_heads
        assert len(inside.hidden) < n and all(0 <= i < n for i in inside.hidden)
        check(inside.edits, config, n)
        assert inside.within(config, n) == (inside, []) and all(10 < len(note) < 2000 for note in said)


def test_made_up_links_are_read_into_views_that_fit() -> None:
    fuzz(share_of(READ), SEED, read)


def test_the_smallest_models_are_there() -> None:
    for name in SHAPES:
        assert offered_models.make(f"folder:{name}").trace("w1")["output"].shape[1] == SHAPES[name].d_model


OUTSIDE = {  # a link with what no dial has -> what the dials show of it
    "a shift of a short sentence": ({"edits": "embedding.positions:shift:v=12", "sentence": "hi"}, ["1"], []),
    "no temperature": ({"edits": "layers.0.attention.scaled:scale:v=0"}, [], ["0"]),
    "two temperatures": (
        {"edits": "layers.0.attention.scaled:scale:v=2;layers.1.attention.scaled:scale:v=0.5"},
        [],
        ["0"],
    ),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_dial_is_pressed_where_a_link_says_what_it_has_not_and_each_leaves_the_other_alone(name: str) -> None:
    query, temperature, shift = OUTSIDE[name]
    items = section("what_if", "whole", **query)
    dials = {item["label"]: item["switches"] for item in items if item["kind"] == "press"}
    heat, places = dials["Temperature of the softmax"], dials["Shift positions by"]
    assert [one["text"] for one in heat if one["pressed"]] == temperature
    assert [one["text"] for one in places if one["pressed"]] == shift
    before = [edit for edit in text_to_edits(query["edits"]) if edit.action == "shift"]
    after = text_to_edits(next(one["makes"]["edits"] for one in heat if one["text"] == "2"))
    assert [edit for edit in after if edit.action == "shift"] == before


def test_a_sentence_of_one_token_is_shifted_nowhere() -> None:
    items = section("what_if", "whole", model="folder:two-words", sentence="w1")
    (places,) = [item["switches"] for item in items if item.get("label") == "Shift positions by"]
    assert [one["text"] for one in places] == ["0"]


SAID = {  # a link that does not fit -> what is said of it
    "pairs of another length": ({"edits": "layers.0.attention.scaled:patch:v=hi"}, "needs equal lengths"),
    "a position of another sentence": ({"edits": "layers.0.attention.output:patch:v=hi:p=9"}, "position 9 is not in"),
    "a pair in two positions": ({"model": TWO, "second": "a dog"}, "this takes 3 special tokens alone"),
    "a word of the source": ({"zero": "1", "magic": "2"}, "“zero”, “magic”"),
}


@pytest.mark.parametrize("name", SAID)
def test_what_does_not_fit_is_said_and_the_address_is_mended(name: str) -> None:
    query, words = SAID[name]
    app = opened("models", query)
    assert words in said(app)
    again = opened("models", link(app))
    assert said(again) == ""


def test_what_cannot_be_subtracted_is_not() -> None:
    """Two models of another width, and two sentences without a word in the same place."""
    assert "differ in layers or width" in words(section("compare", "apart", other_model=TWO, other="w"))
    narrow = {"model": "folder:narrow", "other_model": "folder:three-positions", "sentence": "w1", "other": "w1"}
    assert section("compare", "beside", beside_step="output", **narrow)
    none = section("compare", "apart", model="folder:two-words", other="0")
    assert "No word of A stands beside one of B" in words(none)


PAGE = """
from pages.ui.refusals import parts
import streamlit as st
from encoder import Edit

def refused():
    st.text("before")
    Edit("output", "burn")

parts(refused, lambda: st.text("after"))
"""


def test_a_refusal_of_the_library_is_a_sentence_and_hides_no_other_part() -> None:
    with log() as lines:
        app = AppTest.from_string(PAGE).run()
    assert [one.value for one in app.text] == ["before", "after"]
    assert "This cannot be shown: action is 'burn'; it must be one of zero, mean" in said(healthy(app))
    assert "said on a page" in lines.getvalue() and "Traceback" not in lines.getvalue()


def test_a_mistake_of_the_app_is_not_hidden() -> None:
    for mistake in ("int('x')", "raise ValueError('odd')", "{}['x']"):
        script = PAGE.replace('Edit("output", "burn")', mistake)
        assert len(AppTest.from_string(script).run().exception) == 1, mistake
