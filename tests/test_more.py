"""What stands below the browser's pages: the run's own numbers, for every model and any text, or one plain sentence."""

import re
from pathlib import Path

import numpy as np
import pytest
from more_tools import every, numbers, pictures, section, words
from nasty import EVERY as NASTY
from plotly.offline import get_plotlyjs_version
from shared_models import treebanks
from tiers import mostly_nightly
from tiny import VARIANTS, tiny_model, tiny_tokenizer

from encoder import Edit, TextEncoder, checkpoint
from encoder.edits.edit_text import edits_to_text
from encoder.exam import Treebank
from encoder.experiments.importance import OVER, importance
from encoder.metrics import length, stream
from encoder.pictures.figures.drawn import Drawn
from encoder.pictures.more.sections import MORE
from encoder.pictures.part_items import LOST
from encoder.pictures.view import EXAMPLE
from encoder.support.formatting import brief
from encoder.support.theme import ACCENT, PALE
from pages.front import make_more
from pages.front.make_file import PICTURES
from pages.front.request_fields import RefusedError
from pages.ui import browser_scripts
from pages.ui.server import exams, jobs, memory
from pages.ui.state.site import PAGES

KEYS = "Keys on the table belong to Sara."
SECTIONS = [(page, name) for page, sections in MORE.items() for name in sections]
CASES: dict[str, dict[str, str]] = {  # what is drawn of them all, in the end with what takes long
    "a text that may be markup": {"model": "small", "sentence": " ".join(NASTY)[:60]},
    "labels": {"model": "folder:labels", "sentence": "w1 w2 w3 w2 w4"},
    "the shipped labels": {"model": "good-or-bad", "sentence": "I understand this"},
    "turns, gates and windows": {"model": "modern", "sentence": "I understand this"},
}
STARTS = {
    "a pair with a masked word": {"sentence": "The [MASK] chased the mouse.", "second": "It purred.", "hidden": "2"},
    "a changed run": {"edits": "layers.1.attention.heads:zero:h=0;embedding.positions:zero"},
    "letters without a token": {"sentence": "同じ [MASK]"},
    "as long as can be": {"sentence": " ".join(NASTY)[:2000]},  # 512 tokens
}
HEAD_OFF = (Edit("layers.4.attention.heads", "zero", heads=(1,)),)


def test_each_page_names_its_sections() -> None:
    assert {page.key: {name for name, _ in page.more} for page in PAGES if page.more} == {
        page: {*sections} for page, sections in MORE.items()
    }
    assert all(title for page in PAGES for _, title in page.more)


@pytest.fixture
def few_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treebanks of eight sentences, one draw of each frame, parts left out in three sentences: all take minutes."""
    banks = [Treebank(bank.name, bank.trees[:8]) for bank in treebanks()]
    monkeypatch.setattr(exams, "bundled_treebanks", lambda: banks)
    monkeypatch.setattr(exams, "DRAWS", 1)
    monkeypatch.setattr(importance, "__defaults__", ("mean", OVER[:3]))


@pytest.mark.usefixtures("few_sentences")
@pytest.mark.parametrize("case", mostly_nightly(CASES, ("a text that may be markup", "labels")))
def test_every_section_is_drawn_of_any_model_and_text(case: str, model_root: Path) -> None:
    """A chart holds numbers, what it shows and a sentence, and Plotly's cartesian part can draw it."""
    checkpoint.save(tiny_model(VARIANTS["labels"]), tiny_tokenizer(), model_root / "labels")
    bundle = (browser_scripts.BUILT / "plotly.js").read_text(encoding="utf-8")
    drawn = set(re.findall(r'moduleType:"trace",name:"(\w+)",basePlotModule', bundle))
    assert {"scatter", "bar", "heatmap"} <= drawn and not {"scatter3d", "scattergl", "surface"} & drawn
    for page, name in SECTIONS:
        items = section(page, name, **CASES[case], layer="0", head="0", agreed=True)
        assert items, (page, name)
        for key, picture in pictures(items).items():
            figure = picture["figure"]
            assert figure["data"] and {trace["type"] for trace in figure["data"]} <= drawn, key
            assert picture["title"] and picture["alt"] and picture["sentence"], key
            assert Drawn(figure) is not None, key  # plotly.py checks every name and value
            assert key in PICTURES, "a picture can be saved as a file"


def test_the_browser_draws_with_the_version_that_plotly_py_writes_for() -> None:
    bundle = (browser_scripts.BUILT / "plotly.js").read_text(encoding="utf-8")
    assert f"plotly.js (cartesian - minified) v{get_plotlyjs_version()}" in bundle[:400]
    assert not re.search(r"\beval\(|new Function\(", bundle), "the policy of content forbids it"


@pytest.mark.parametrize("start", mostly_nightly(STARTS, STARTS.keys() - {"as long as can be"}))
def test_every_section_is_drawn_of_a_pair_of_masked_words_and_of_a_changed_run(start: str) -> None:
    for page, name in SECTIONS:
        assert section(page, name, model="small", layer="1", head="0", **STARTS[start]), (page, name)


def test_what_cannot_be_is_one_sentence() -> None:
    for query, status, part in (
        ({"layer": "99"}, 400, "99"),
        ({"model": "none"}, 404, "none"),
        ({"edits": "zz"}, 400, "edits"),
        ({"step": "zz"}, 400, "step"),
    ):
        with pytest.raises(RefusedError) as refused:
            section("attention", "chart", **query)
        assert refused.value.status == status and part in refused.value.message and refused.value.message.endswith(".")
    for page, name in (("attention", "none"), ("none", "chart"), ("", "")):
        with pytest.raises(RefusedError) as refused:
            section(page, name)
        assert refused.value.status == 404


def test_a_choice_is_offered_with_what_is_chosen_and_one_that_is_not_offered_is_the_usual() -> None:
    asked = {item["name"]: item for item in every(section("output", "ways")) if item["kind"] == "ask"}
    assert asked["move"]["chosen"] == asked["move"]["values"][0] and asked["alike_layer"]["values"][0] == "input"
    for wrong in ("Width", "", "Length,Length"):
        items = section("output", "ways", move=wrong, alike_layer="x")
        assert next(item for item in items if item.get("name") == "move")["chosen"] == asked["move"]["chosen"]
    chosen = section("output", "ways", move="Length")
    assert next(item for item in chosen if item.get("name") == "move")["chosen"] == "Length"
    assert (
        pictures(chosen)["moves"]["query"]["move"] == "Length" and pictures(chosen)["moves"]["query"]["more"] == "ways"
    )


def test_what_takes_long_is_offered_with_its_time_and_measured_when_somebody_agrees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "SPEED", 1e7)
    query = {"model": "built:n_layers=2,d_model=32,n_heads=4,d_ff=64,vocab_size=16384,seed=5"}  # not measured before
    waits = [item for item in every(section("output", "layers", **query)) if item["kind"] == "wait"]
    assert len(waits) == 1 and all(
        re.fullmatch(r"Measure \(about \d+ (seconds|minutes)\)", each["words"]) for each in waits
    )
    assert {*pictures(section("output", "layers", agreed=True, **query))} == {"alike_cosine", "alike_linear"}


def test_attention_has_the_step_as_a_chart_what_each_head_adds_and_its_proofs(base: TextEncoder) -> None:
    trace, here = base.trace(KEYS), {"sentence": KEYS, "layer": "2", "head": "5"}
    for step in ("scores", "scaled", "weights", "heads"):
        shown = numbers(pictures(section("attention", "chart", step=f"attention.{step}", **here))["picture"])
        np.testing.assert_allclose(shown, trace[f"layers.2.attention.{step}"][5].numpy(), rtol=1e-5, atol=1e-7)
    adds = pictures(section("attention", "heads", **here))
    assert np.allclose(numbers(adds["head_shares"]).sum(0), 1, atol=1e-5)
    w_o = base.model.layers[2].attention.w_o.weight
    added = trace["layers.2.attention.heads"][5] @ w_o[:, 5 * 64 : 6 * 64].T
    np.testing.assert_allclose(numbers(adds["head_lengths"])[5], added.norm(dim=-1).numpy(), rtol=1e-4)
    ways = section("attention", "one_matrix", **here)
    assert "One matrix of 512 × 512 is 8 matrices of 512 × 64" in words(ways) and "they agree: queries to" in words(
        ways
    )


def test_masked_and_changed_runs_are_shown_as_they_are_and_their_proofs_say_so(base: TextEncoder) -> None:
    masked = numbers(pictures(section("attention", "chart", sentence=KEYS, hidden="2", layer="2", head="5"))["picture"])
    assert (masked[:, 2] == 0).all() and masked.sum(1) == pytest.approx(1, abs=1e-6)
    for page, agreements in (("attention", 3), ("add_norm", 2), ("embedding", 1), ("output", 1)):
        (table,) = [item for item in section(page, "checks", sentence=KEYS, layer="2") if item["kind"] == "table"]
        assert len(table["rows"]) >= agreements
        assert all(re.fullmatch(r"to ([5-9]|\d\d) digits|to the last bit", row[1]) for row in table["rows"]), table
    for layer, changed in (("4", True), ("3", False)):
        items = section("attention", "checks", edits="layers.4.attention.weights:scale:v=0.5", layer=layer)
        (table,) = [item for item in items if item["kind"] == "table"]
        assert any(row[1].startswith("changed") for row in table["rows"]) == changed
    off, on = (base.trace(EXAMPLE, edits=some)["layers.5.attention.weights"][1] for some in (HEAD_OFF, ()))
    items = section("attention", "chart", edits=edits_to_text(HEAD_OFF), layer="5", head="1")
    shown = numbers(pictures(items)["picture"])
    np.testing.assert_allclose(shown, off.numpy(), atol=1e-6)
    assert float((off - on).abs().max()) > 1e-3


def test_the_code_that_is_shown_computed_the_steps() -> None:
    code = "\n".join(item["words"] for item in section("attention", "checks") if item["kind"] == "code")
    assert "masked.softmax(-1)" in code and 'tap("weights"' in code


def test_add_norm_says_the_deviation_before_and_after(base: TextEncoder) -> None:
    trace, here = base.trace(KEYS), {"sentence": KEYS, "layer": "3", "step": "add_norm_1.output"}
    before, after = (float(trace[f"layers.3.add_norm_1.{name}"].std()) for name in ("sum", "output"))
    sides = section("add_norm", "sides", **here)
    assert f"have a standard deviation of {before:.3g}; those that come out have {after:.3g}" in words(sides)
    assert numbers(pictures(sides)["norm_sides"], "y").sum() == pytest.approx(1, abs=1e-5)
    (table,) = [item for item in section("add_norm", "moments", **here) if item["kind"] == "table"]
    assert [row[0] for row in table["rows"]] == [f"{i} {token}" for i, token in enumerate(trace.tokens)]
    means = trace["layers.3.add_norm_1.sum"].mean(-1).numpy()
    np.testing.assert_allclose([row[1] for row in table["rows"]], means, rtol=1e-3, atol=1e-5)


def test_output_has_ranks_near_words_sources_and_ways(base: TextEncoder) -> None:
    here = {"sentence": KEYS, "lens_token": "4"}
    near = section("output", "words", **here)
    assert "Nearest to “table” (4) is “table” at the input" in words(near)
    assert numbers(pictures(near)["nearest_by_layer"]).shape == (7, 5)
    shares = numbers(pictures(section("output", "sources", **here))["layer_shares"])
    assert np.isfinite(shares).sum() == 4 * 10 * 6 and np.nansum(shares) == pytest.approx(10 * 6, rel=1e-4)
    lengths = length(stream(base.trace(KEYS))[-1])
    longest = f"{float(lengths.max() / lengths.min()):.3g} times as long as the shortest"
    assert longest in words(section("output", "ways", move="Length", **here))
    race = pictures(section("output", "chart", sentence="The capital of France is [MASK]."))["race"]
    assert "“paris” is at rank 1" in race["sentence"]


def test_the_section_is_not_asked_of_a_model_that_must_be_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_more.make.offered_models, "seconds", lambda name: 100.0)
    monkeypatch.setattr(make_more.engine, "is_loaded", lambda name: False)
    with pytest.raises(RefusedError, match="Open the page Models"):
        section("attention", "chart", model="small")
    assert Path(browser_scripts.BUILT / "plotly.js").is_file()


def test_a_run_that_does_not_end_in_numbers_is_drawn_without_them_or_refused_in_a_sentence() -> None:
    lost = "layers.1.output:scale:v=3e38;layers.2.output:scale:v=3e38"
    for page, name in SECTIONS:
        try:
            items = section(page, name, model="small", edits=lost, layer="2", head="0")
        except RefusedError as error:
            assert error.status == 400 and error.message.endswith("."), (page, name)
        else:
            assert items, (page, name)
            assert bool(re.search(r"\bnan\b", words(items[:-1]))) == (LOST in words(items)), (page, name, words(items))
    assert LOST not in words(section("attention", "chart", sentence="nan bread and nan", layer="0", head="1"))


def test_charts_of_add_and_norm_have_the_words_and_colours_of_its_picture_and_gamma_is_not_flat(
    base: TextEncoder,
) -> None:
    here = {"layer": "5", "head": "0", "step": "add_norm_1.sum"}
    (lengths,) = [item for item in section("add_norm", "chart", **here) if item["kind"] == "picture"]
    bars = lengths["figure"]["data"]
    assert [one["name"] for one in bars] == ["came in", "added"]
    assert [one["marker"]["color"] for one in bars] == [PALE["light"], ACCENT["light"]]
    assert "came in" in lengths["sentence"] and "residual" not in lengths["sentence"] + lengths["title"]
    (learned,) = [item for item in section("add_norm", "learned", **here) if item["kind"] == "picture"]
    norm = base.model.get_submodule("layers.5.norm1")
    gamma = norm.get_parameter("weight").detach()
    assert [(one["type"], one["name"]) for one in learned["figure"]["data"]] == [
        ("scatter", "gamma"),
        ("scatter", "beta"),
    ]
    assert f"gamma ({brief(gamma.min())} to {brief(gamma.max())})" in learned["sentence"]


def test_a_unit_is_shown_where_it_fires_in_a_corpus_and_a_context_run_again_says_the_same(base: TextEncoder) -> None:
    from encoder.atlas.atlas_folders import atlas_of

    here = {"layer": "1", "atlas_unit": "7", "head": "0"}
    atlas, items = atlas_of(base, 0), section("feed_forward", "corpus", **here)
    top = atlas.unit_firings(1, 7, "top")
    (contexts,) = [item["lines"] for item in items if item["kind"] == "lines"]
    assert len(contexts) == len(top) > 3
    texts = atlas.texts([firing.sentence for firing in top])
    for line, firing in zip(contexts, top, strict=True):
        text = texts[firing.sentence]
        assert line["opens"]["makes"]["sentence"] == (text if isinstance(text, str) else text[0])
        assert [mark for _, mark in line["pieces"] if mark] == ["at"]
        assert line["note"].startswith(f"{firing.value:.4f}")
    run = section("feed_forward", "corpus", atlas_run="1", **here)
    assert f"Activation: stored {top[0].value:.6g}, live " in words(run) and "They are the same" in words(run)
    tenth = section("feed_forward", "corpus", atlas_list="tenth 1", **here)
    (least,) = [item["lines"] for item in tenth if item["kind"] == "lines"]
    assert float(least[0]["note"].split(",")[0]) < top[-1].value
    assert "One by one: 1. changes by" in words(section("feed_forward", "corpus", agreed=True, **here))
    none = section("feed_forward", "corpus", model="paper", sentence="w", layer="0", head="0")
    assert "There is no atlas of this model here" in words(none) and "python -m encoder.atlas" in words(none)


def test_what_needs_little_memory_is_measured_where_none_is_left_and_what_needs_much_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that was full refused what takes 0 MB."""
    monkeypatch.setattr(memory, "left", lambda: -1e6)
    small = {"model": "small", "sentence": "One of many.", "layer": "1", "head": "0"}
    for page, name in (("feed_forward", "silent"), ("heads", "measures")):
        assert pictures(section(page, name, agreed=True, **small)), (page, name)
    said = [
        item["words"] for item in every(section("output", "layers", agreed=True, **small)) if "error" in item["kind"]
    ]
    assert len(said) == 1 and re.fullmatch(r"It takes \d\d MB of memory .* this server has 0 MB left\.", said[0])
