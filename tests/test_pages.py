"""Every page on real input, through Streamlit's own test harness."""

import re
from dataclasses import replace
from typing import Any

import pytest
from nasty import SHORT, as_sent
from page_tools import ask, at, bar, choose, go, healthy, numbers, open_app, said, type_sentence
from streamlit.testing.v1 import AppTest

from encoder import Edit, TextEncoder
from encoder.edits.edit_text import edits_to_text
from encoder.model.encoder import Encoder
from encoder.pictures.labs import LABS
from encoder.pictures.view import EXAMPLE, GAP, GAP_OTHER, View
from pages.ui.server import engine
from pages.ui.server.engine import budget
from pages.ui.server.offered_models import MODELS
from pages.ui.state.site import DRAWN, PAGES

pytestmark = pytest.mark.slow

SENTENCES = {
    "one word": "Hello",
    "600 words": "The old man and the sea were friends. " * 75,
    "empty": "",
    "Chinese": "你好 世界",
    "formula": "$x$ and $$y^2$$ and `code` and [a](b)",
    "paste": "word " * 20_000,
    "one long word": "x" * 100_000,
    "masked": "The [MASK] sat on the [MASK].",
}

NASTY = tuple(map(as_sent, SHORT))
TOGETHER = 4  # nasty texts in one sentence
PORTIONS = [NASTY[start : start + TOGETHER] for start in range(0, len(NASTY), TOGETHER)]
KEYS = [page.key for page in PAGES if not page.is_drawn]  # others are the browser's alone


def take(app: AppTest, name: str) -> None:
    """Type a sentence on the page that is open; what is cut is said, and an empty line is none."""
    before = app.session_state["session"].view
    text = said(type_sentence(app, SENTENCES[name])) + " ".join(one.value for one in app.caption)
    if not SENTENCES[name].strip():
        assert app.session_state["session"].view == before
        return
    assert ("512 tokens" in text) == (name in ("600 words", "paste"))


@pytest.mark.parametrize("page", KEYS)
def test_every_page_has_addresses_and_its_sentence_on_top_and_takes_any(page: str) -> None:
    """One visit for all of it. Each page takes some of the nasty texts, and each of these comes to a page.

    A heading without an address: a browser works it out from the words in every run, for tens of milliseconds each.
    """
    app = open_app(page, cell="layers.4.attention.weights:1,8,2")
    assert [one.value for one in (*app.title, *app.header, *app.subheader) if not one.anchor] == []
    assert not [one.value for one in app.markdown if re.match(r"#+ ", one.value)]
    take(app, "one word")
    assert bar(app)["sentence"] == SENTENCES["one word"]
    take(app, "empty")
    nasty = PORTIONS[KEYS.index(page) % len(PORTIONS)]  # as the other sentence as well
    app.session_state["session"].view = replace(app.session_state["session"].view, other="".join(nasty[::-1]))
    type_sentence(app, " ".join(nasty))


def test_every_sentence_is_taken() -> None:
    app = open_app("models", model="small", layer="0", head="0")
    for name in SENTENCES:
        take(app, name)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "base"])
def test_every_page_shows_one_model_besides_base_and_each_of_them_stands_on_some(model: str) -> None:
    """Every other test opens `base`."""
    others = [name for name in MODELS if name != "base"]
    each = -(-len(PAGES) // len(others))
    pages = (PAGES * 2)[others.index(model) :: len(others)][:each]  # after the last page the first ones again
    assert len(pages) == each >= 2
    app = open_app(model=model, sentence="I understand this", layer="0", head="0")
    for page in pages:
        assert not said(go(app, page.key)), page.key
    engine.model_cache.clear()
    engine.run_cache.clear()


OF_SEGMENTS = "built:n_layers=2,d_model=24,n_heads=3,d_ff=40,n_segments=2,seed=1"
PAIR = {"sentence": "The cat chased the mouse.", "second": "It purred."}


def test_choosing_a_page_keeps_the_view_and_the_url_carries_it() -> None:
    """A pair of sentences too, which every page takes."""
    app = open_app("embedding", layer="2", head="3", **PAIR)
    for page in PAGES:
        assert not said(go(app, page.key)), page.key
        assert at(app) == (2, 3)
        query = {name: "".join(text) for name, text in app.query_params.items() if name not in ("step", "v")}
        assert query.pop("model", "base") == "base" and (page.key in DRAWN or "more" not in query)
        query.pop("more", None)
        assert query == {**PAIR, "layer": "2", "head": "3"}


def test_a_pair_is_run_as_one_in_models_with_segments_and_without_until_it_is_taken_back(base: TextEncoder) -> None:
    app = open_app(model=OF_SEGMENTS, layer="0", head="0", **PAIR)
    for page in PAGES[1::2]:
        assert not said(go(app, page.key)), page.key
    app = open_app("attention", layer="4", head="1", **PAIR)
    assert (numbers(app) == base.trace((*PAIR.values(),))["layers.4.attention.weights"][1].numpy()).all()
    healthy(go(app, "models").text_input(key="second").set_value("").run())
    app = go(app, "attention")
    assert (numbers(app) == base.trace(PAIR["sentence"])["layers.4.attention.weights"][1].numpy()).all()
    assert "second" not in app.query_params


def test_what_a_link_says_that_cannot_be_is_told_and_left_out() -> None:
    app = open_app("models", model="nope", layer="99", head="-1", step="zz", hidden="0,x")
    assert all(value in said(app) for value in ("nope", "99", "-1", "zz", "0,x"))
    assert bar(app)["sentence"] == EXAMPLE
    for text in ("nonsense", "layers.77.output:zero", "output:explode", "layers.0.attention.heads:zero:h=99"):
        app = ask(app, edits=text)
        assert "edits" in said(app) and app.session_state["session"].view.edits == ()


def test_rows_without_any_key_break_no_page(small: TextEncoder) -> None:
    """Causal, and the first token hidden: the first row is not a number, and soon all is not."""
    causal = tuple(Edit(f"layers.{i}.attention.masked", "causal") for i in range(small.config.n_layers))
    cell = "layers.2.attention.weights:1,0,0"
    app = open_app(model="small", edits=edits_to_text(causal), hidden="0", cell=cell)
    for page in PAGES:
        go(app, page.key)


def test_changing_the_model_brings_its_own_layer_and_head() -> None:
    app = open_app("models")
    choose(app, model="small")
    assert at(app) == (2, 3)
    assert not said(app)


def test_sentence_b_is_the_twin_of_a_bundled_sentence_or_a_itself_until_it_is_chosen() -> None:
    assert View(sentence="My dog slept.").sentence_b == "My dog slept."
    assert View(sentence="My dog slept.", other="My cat purred.").sentence_b == "My cat purred."
    assert View().sentence_b.endswith("too tired.") and View(sentence=View().sentence_b).sentence_b == View().sentence
    assert View(sentence=GAP).sentence_b == GAP_OTHER and View(sentence=GAP_OTHER).sentence_b == GAP


PARTS = {  # choices of a page -> what stands behind each
    "training": ("training_part", ["Small networks"]),
    "lessons": ("lab", list(LABS)),
}


@pytest.mark.nightly
def test_a_page_that_is_drawn_again_runs_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A click elsewhere on a page costs no run, whatever lab or part of it is open."""
    ran: list[Encoder] = []
    resume = Encoder.resume

    def resumed(self: Encoder, *args: Any, **more: Any) -> Any:
        ran.append(self)
        return resume(self, *args, **more)

    monkeypatch.setattr(Encoder, "resume", resumed)
    while budget.drop_one():  # what other tests left would make room for what this one keeps to be seen again
        pass
    again = set()
    for page in PAGES:
        key, names = PARTS.get(page.key, ("v", ["1"]))
        for name in names:
            app = open_app(page.key, **{key: name})
            ran.clear()
            healthy(app.run())
            again |= {(page.key, name)} if ran else set()
    assert again == set()
