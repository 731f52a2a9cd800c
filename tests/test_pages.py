"""Every page on real input, through Streamlit's own test harness."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from nasty import SHORT, as_sent
from page_tools import at, bar, choose, go, healthy, maps, numbers, open_app, said, type_sentence
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly

from encoder import TextEncoder
from encoder.metrics import norm_weighted
from encoder.model.encoder import Encoder
from encoder.pictures.lab_rows import LABS
from encoder.pictures.view import EXAMPLE, GAP, GAP_OTHER, View
from encoder.support.formatting import percent
from pages.ui import widgets
from pages.ui.server import engine
from pages.ui.server.engine import budget
from pages.ui.server.models import MODELS
from pages.ui.state.site import DRAWN, PAGES

pytestmark = pytest.mark.slow

SENTENCES = {
    "one word": "Hello",
    "three words": "I understand this",
    "40 words": "The cat sat on the mat and looked at the bird. " * 4,
    "600 words": "The old man and the sea were friends. " * 75,
    "empty": "",
    "spaces": "    ",
    "emoji": "I 😀 you 👩‍🔬",
    "Chinese": "你好 世界",
    "Arabic": "مرحبا بالعالم",
    "markup": "<b>x</b><script>alert(1)</script>",
    "formula": "$x$ and $$y^2$$ and `code` and [a](b)",
    "control": "a\u202eb\u200bc\x07d",
    "paste": "word " * 20_000,
    "one long word": "x" * 100_000,
    "masked": "The [MASK] sat on the [MASK].",
}

NASTY = tuple(map(as_sent, SHORT))
TOGETHER = 4  # nasty texts in one sentence
PORTIONS = [NASTY[start : start + TOGETHER] for start in range(0, len(NASTY), TOGETHER)]
KEYS = [page.key for page in PAGES]


def take(app: AppTest, name: str) -> None:
    """Type a sentence on the page that is open; what is cut is said, and an empty line is none."""
    before = app.session_state["session"].view
    text = said(type_sentence(app, SENTENCES[name]))
    if not SENTENCES[name].strip():
        assert app.session_state["session"].view == before
        return
    assert ("512 tokens" in text) == (name in ("600 words", "paste"))


@pytest.mark.parametrize("page", KEYS)
def test_every_page_has_addresses_and_its_sentence_on_top_and_takes_any(page: str) -> None:
    """One visit for all of it. Each page takes some of the nasty texts, and each of these comes to a page."""
    app = open_app(page, cell="layers.4.attention.weights:1,8,2")
    all_have_addresses(app)
    take(app, "one word")
    if page not in DRAWN:
        assert bar(app)["sentence"] == SENTENCES["one word"]
        take(app, "empty")
    take_nasty(app, PORTIONS[KEYS.index(page) % len(PORTIONS)])


def all_have_addresses(app: AppTest) -> None:
    """Every heading has one; else a browser works it out from the words in every run, for tens of milliseconds each."""
    assert [one.value for one in (*app.title, *app.header, *app.subheader) if not one.anchor] == []
    assert not [one.value for one in app.markdown if re.match(r"#+ ", one.value)]


@pytest.mark.parametrize("page", mostly_nightly(KEYS, ["embedding", "stack"]))
def test_every_page_takes_a_sentence_that_is_cut(page: str) -> None:
    """It is cut in one place, before any page has it."""
    take(go(open_app(), page), "600 words")


@pytest.mark.nightly
@pytest.mark.parametrize("page", KEYS)
def test_every_page_takes_every_nasty_text(page: str) -> None:
    app = go(open_app(), page)
    for nasty in PORTIONS:
        take_nasty(app, nasty)


def take_nasty(app: AppTest, nasty: Sequence[str]) -> None:
    """Type the texts as the sentence of the page that is open; they are the other sentence as well."""
    app.session_state["session"].view = replace(app.session_state["session"].view, other="".join(nasty[::-1]))
    type_sentence(app, " ".join(nasty))


@pytest.mark.parametrize("page", mostly_nightly(["figure", "labs"], ["figure"]))
def test_every_sentence_is_taken(page: str) -> None:
    app = go(open_app(), page)
    for name in SENTENCES:
        take(app, name)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "base"])
def test_every_page_shows_one_model_besides_base_and_each_of_them_stands_on_some(model: str) -> None:
    """Every other test opens `base`."""
    others = [name for name in MODELS if name != "base"]
    pages = PAGES[others.index(model) :: len(others)]
    assert len(pages) >= 2
    app = open_app(model=model, sentence="I understand this", layer="0", head="0")
    for page in pages:
        assert not said(go(app, page.key)), page.key
    engine.model_cache.clear()
    engine.run_cache.clear()


@pytest.mark.nightly
@pytest.mark.parametrize("model", MODELS)
def test_every_page_shows_every_model(model: str) -> None:
    """One visitor walks through all pages, because opening the app takes longer than a page."""
    app = open_app(model=model, sentence="I understand this", layer="0", head="0")
    for page in PAGES:
        assert not said(go(app, page.key)), page.key
    engine.model_cache.clear()  # six models of the paper's size are much to hold at once
    engine.run_cache.clear()


def test_choosing_a_page_keeps_the_view_and_the_url_carries_it() -> None:
    app = open_app("embedding", sentence="Keys on the table belong to Sara.", layer="2", head="3")
    for page in PAGES:
        go(app, page.key)
        assert at(app) == (2, 3)
        query = {name: "".join(text) for name, text in app.query_params.items() if name not in ("step", "v")}
        assert (query.pop("more", ""), query.pop("model", "base")) == ("1" if page.key in DRAWN else "", "base")
        assert query == {"sentence": "Keys on the table belong to Sara.", "layer": "2", "head": "3"}


def test_a_link_with_nonsense_opens_the_example_and_says_what_it_could_not_do() -> None:
    app = open_app("figure", model="nope", layer="99", head="-1", step="zz", hidden="0,x")
    for value in ("nope", "99", "-1", "zz", "0,x"):
        assert value in said(app)
    assert bar(app)["sentence"] == EXAMPLE


def test_changing_the_model_brings_its_own_layer_and_head() -> None:
    app = open_app("atlas")
    choose(app, model="small")
    assert at(app) == (2, 3)
    assert not said(app)


def test_a_hidden_token_gets_no_weight() -> None:
    app = open_app("attention", hidden="2")
    assert (numbers(app)[:, 2] == 0).all()
    np.testing.assert_allclose(numbers(app).sum(1), 1, atol=1e-6)


def test_long_sentences_share_pixels_and_it_is_said() -> None:
    app = open_app("heads", heads_part="What really flows", sentence="word " * 300)
    assert maps(app, "flows")["rows"] <= 128
    assert any("too many cells for one pixel" in caption.value for caption in app.caption)


def test_the_proof_strip_is_computed_and_the_code_is_shown() -> None:
    app = open_app("attention")
    proofs = {metric.label.replace("\\", ""): metric.value.split() for metric in app.metric}
    assert set(proofs) == {"row sums against 1", "nn.MultiheadAttention, weights", "nn.MultiheadAttention, output"}
    assert all(said == ["to", "the", "last", "bit"] or int(said[1]) >= 5 for said in proofs.values()), proofs
    app.session_state["code"] = True
    healthy(app.run())
    assert any("masked.softmax(-1)" in shown.value for shown in app.code)
    assert any('tap("weights"' in shown.value for shown in app.code)


def test_a_masked_word_is_guessed() -> None:
    app = open_app(sentence="The capital of France is [MASK].")
    assert any("paris" in text.value for text in app.text)


@pytest.mark.parametrize("over", ["this sentence", "100 sentences"])
@pytest.mark.parametrize("part", ["Measures", "What each head does", "How alike heads are"])
def test_heads_are_measured_and_labelled(part: str, over: str) -> None:
    app = open_app()
    app.session_state["heads_part"], app.session_state["over"] = part, over
    go(app, "heads")
    if part == "What each head does":
        told = next(m.value for m in app.markdown if m.value.startswith("Heads with a place"))
        assert "L2H3 previous" in told and "L1H7 next" in told and "L2H4 next" in told
        table = next(one.value for one in app.dataframe if "mass" in one.value)
        assert len(table) == 48 and table.loc["L2H3", "looks at"] == "previous"
        assert table.loc["L2H3", "mass"] > max(table.loc["L2H3", "uniform"], table.loc["L2H3", "shuffled"]) + 0.25
    if part == "Measures":
        app.pills(key="measure").set_value("previous").run()
        values = numbers(healthy(app), key="measured")
        assert values.shape == (6, 8)
        assert np.unravel_index(values.argmax(), values.shape) == (2, 3)


def test_several_tokens_and_heads_together(base: TextEncoder) -> None:
    app = open_app("sentence", several="1", some_heads="1,5")
    weights = base.trace(EXAMPLE)["layers.4.attention.weights"].numpy()
    np.testing.assert_allclose(numbers(app, key="together_matrix"), weights[[1, 5]].mean(0), atol=1e-7)
    app.pills(key="together").set_value("Largest").run()
    np.testing.assert_array_equal(numbers(app, key="together_matrix"), weights[[1, 5]].max(0))
    app.pills(key="some_tokens").set_value([8, 2]).run()
    assert any("“it” (8)" in m.value.replace("\\", "") for m in healthy(app).markdown)


def test_what_flows_begins_with_the_pair_whose_weight_says_least_of_what_it_carries(base: TextEncoder) -> None:
    app = open_app("flows", sentence="The cat chased the mouse.", layer="4", head="1")
    trace = base.trace("The cat chased the mouse.")
    weights, flow = trace["layers.4.attention.weights"][1], norm_weighted(trace, 4)[1]
    share = flow / flow.sum(1, keepdim=True)
    i, j = divmod(int((share - weights).abs().argmax()), len(trace.tokens))
    first = app.main.markdown[0].value.replace("\\", "")
    assert f"({i}) gives {percent(float(weights[i, j]))} of its attention to" in first
    assert f"({j}), and {percent(float(share[i, j]))} of what it takes" in first


def test_flow_is_computed_on_demand_and_refused_for_many_tokens() -> None:
    app = open_app("flows", sentence="The cat chased the mouse.", through_layers="1")
    healthy(app.button(key="compute_flow").click().run())
    assert numbers(app, "y", key="max_flow").sum() == pytest.approx(1, abs=1e-5)
    app = open_app("flows", sentence="word " * 30, through_layers="1")
    assert any("at most 20 tokens" in m.value for m in app.markdown)


def test_only_what_stands_in_the_sentence_is_explained() -> None:
    def explained(sentence: str) -> str:
        return next(c.value for c in open_app(sentence=sentence).caption if "a piece of one" in c.value).replace(
            "\\", ""
        )

    assert explained("The [MASK] sat.").endswith("[CLS] and [SEP] are added for the model.")
    said = explained("Unfathomable 😀")
    assert "[UNK] stands for what its vocabulary lacks. `##` marks" in said


def test_sentence_b_is_the_twin_of_a_bundled_sentence_or_a_itself_until_it_is_chosen() -> None:
    assert View(sentence="My dog slept.").sentence_b == "My dog slept."
    assert View(sentence="My dog slept.", other="My cat purred.").sentence_b == "My cat purred."
    assert View().sentence_b.endswith("too tired.") and View(sentence=View().sentence_b).sentence_b == View().sentence
    assert View(sentence=GAP).sentence_b == GAP_OTHER and View(sentence=GAP_OTHER).sentence_b == GAP


@pytest.mark.nightly
def test_a_page_that_is_drawn_again_runs_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A click elsewhere on a page costs no run; two labs hold whole runs of their own, which nobody keeps."""
    ran: list[Encoder] = []
    parts: dict[str, list[str]] = {}
    resume, tabs = Encoder.resume, widgets.tabs

    def resumed(self: Encoder, *args: Any, **more: Any) -> Any:
        ran.append(self)
        return resume(self, *args, **more)

    def tabbed(every: dict[str, Any], key: str, **more: Any) -> None:
        parts[key] = list(every)
        tabs(every, key, **more)

    monkeypatch.setattr(Encoder, "resume", resumed)
    monkeypatch.setattr(widgets, "tabs", tabbed)
    while budget.drop_one():  # what other tests left would make room for what this one keeps to be seen again
        pass
    app, again = open_app(), set()
    for page in PAGES:
        parts.clear()
        go(app, page.key)
        if page.key == "lessons":
            parts["lab"] = list(LABS)
        for key, names in [*parts.items()] or [("", [""])]:
            for name in names:
                if key == "lab":
                    app.session_state["lessons_part"] = "Labs"
                if key:
                    app.session_state[key] = name
                healthy(app.run())
                ran.clear()
                healthy(app.run())
                again |= {(page.key, name)} if ran else set()
    assert again == {("lessons", "Padding"), ("lessons", "Post-norm and pre-norm")}
