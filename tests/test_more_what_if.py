"""Below What if: switches for the whole model, what differs, each part left out, and what made the guess."""

import re

import numpy as np
import pytest
from more_tools import Item, every, numbers, pictures, section, words

from encoder import PRESETS, Edit, TextEncoder
from encoder.edits.edit_text import edits_to_text, text_to_edits
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.experiments.compare import relative_difference
from encoder.experiments.importance import importance
from encoder.pictures.more.switches import WHOLE
from encoder.pictures.view import EXAMPLE
from pages.ui.server import jobs
from pages.ui.server.engine import text_encoder

pytestmark = pytest.mark.slow

CAPITAL = "The capital of France is [MASK]."
HEAD_OFF = (Edit("layers.4.attention.heads", "zero", heads=(1,)),)
LITTLE = "built:n_layers=2,d_model=24,n_heads=3,d_ff=40,mlm_head=true,seed=1"


def switches(**query: str) -> dict[str, dict[str, Item]]:
    """The switches by their label and text."""
    rows = [item for item in section("what_if", "whole", **query) if item["kind"] == "press"]
    return {row["label"]: {switch["text"]: switch for switch in row["switches"]} for row in rows}


def asked(items: list[Item], name: str) -> Item:
    """What is offered by that name."""
    return next(item for item in every(items) if item["kind"] == "ask" and item["name"] == name)


def test_each_switch_makes_its_changes_and_a_second_press_takes_them_back(small: TextEncoder) -> None:
    here = {"model": "small", "sentence": "I understand this"}
    assert "Nothing is changed yet" in words(section("what_if", "differs", **here))
    for name in switches(**here)["For the whole model"]:
        edits = switches(**here)["For the whole model"][name]["makes"]["edits"]
        assert edits == edits_to_text(tuple(WHOLE[name](small.config))), name
        again = switches(edits=edits, **here)["For the whole model"][name]
        assert again["pressed"] and again["makes"]["edits"] == "", name
        assert "first differ" in words(section("what_if", "differs", edits=edits, **here)), name


def test_dials_are_kept_apart_and_the_neutral_place_is_no_change() -> None:
    here = {"model": "small", "sentence": "I understand this"}
    heat, shift = "Temperature of the softmax", "Shift positions by"
    assert [text for text, one in switches(**here)[heat].items() if one["pressed"]] == ["1"]
    hot = switches(**here)[heat]["2"]["makes"]["edits"]
    assert {edit.value for edit in text_to_edits(hot)} == {0.5}
    both = switches(edits=hot, **here)[shift]["2"]["makes"]["edits"]
    assert "embedding.positions:shift:v=2" in both and "scale:v=0.5" in both
    assert switches(edits=both, **here)[heat]["2"]["pressed"] and switches(edits=both, **here)[shift]["2"]["pressed"]
    cold = switches(edits=both, **here)[heat]["1"]["makes"]["edits"]
    assert cold == "embedding.positions:shift:v=2"
    assert switches(edits=cold, **here)[shift]["0"]["makes"]["edits"] == ""


def test_a_model_is_offered_the_switches_that_it_has_something_for() -> None:
    paper, modern = ({name for name, of in WHOLE.items() if of(PRESETS[name_])} for name_ in ("paper", "modern"))
    distances = {"Content to position off", "Position to content off"}
    assert set(WHOLE) - paper == {"Windows open", "Gates open"} | distances and set(WHOLE) - modern == distances
    here = {"model": "modern", "sentence": "the cat ran"}
    assert {*switches(**here)["For the whole model"]} == modern
    edits = switches(**here)["For the whole model"]["Positions off"]["makes"]["edits"]
    both = switches(edits=edits, **here)["For the whole model"]["Gates open"]["makes"]["edits"].split(";")
    assert {"layers.1.feed_forward.gated:bypass", "layers.5.attention.k_rotated:bypass"} <= {*both}


def test_a_head_that_is_off_changes_what_follows_and_any_step_is_shown_beside_itself(base: TextEncoder) -> None:
    here = {"edits": edits_to_text(HEAD_OFF), "layer": "4", "head": "1"}
    apart = numbers(pictures(section("what_if", "differs", **here))["apart_changed"])
    expected = relative_difference(base.trace(EXAMPLE), base.trace(EXAMPLE, edits=HEAD_OFF)).T.numpy()
    np.testing.assert_allclose(apart, expected, atol=1e-6)
    assert (apart[:, :5] == 0).all() and (apart[:, 5] > 0).all()
    beside = section("what_if", "beside", **here)
    assert asked(beside, "beside_step")["chosen"] == "layers.4.attention.heads"
    for head in ("1", "2"):  # a head that is off leaves its own weights as they are: their difference would be 0
        shown = pictures(section("what_if", "beside", **here | {"head": head}))
        assert np.abs(numbers(shown["step_change"])).max() > 0
        change = numbers(shown["step_now"]) - numbers(shown["step_before"])
        np.testing.assert_allclose(numbers(shown["step_change"]), change, atol=1e-5)
    after = section("what_if", "beside", **here | {"layer": "5"})
    assert asked(after, "beside_step")["chosen"] == "layers.5.attention.weights"


def test_leaving_each_part_out_is_a_map_of_its_effects(base: TextEncoder) -> None:
    here, trace = {"sentence": CAPITAL, "layer": "4", "head": "1"}, base.trace(CAPITAL)
    *_, found = ablate_each(base, trace, watch=WatchedWord(6, int(trace["mlm.logits"][6].argmax())))
    items = section("what_if", "loo", agreed=True, **here)
    assert asked(items, "loo_measure")["chosen"] == "Loss of the word's ln p"
    losses = -grid(found.effects, base.config, "log_probability").numpy()
    np.testing.assert_allclose(numbers(pictures(items)["loo_map"]), losses, rtol=1e-4, atol=1e-5)
    assert re.search(r"matters most: without it ln p of “\w+” falls by [\d.]+ nats", words(items))
    items = section("what_if", "loo", agreed=True, loo_measure="Change of the output", **here)
    expected = grid(found.effects, base.config).numpy()
    np.testing.assert_allclose(numbers(pictures(items)["loo_map"]), expected, rtol=1e-4, atol=1e-6)
    wrong = section("what_if", "loo", agreed=True, watched="qqqqzzzz", **here)
    assert [item["words"] for item in wrong if item["kind"] == "error"] and asked(wrong, "watched")[
        "chosen"
    ] == "qqqqzzzz"


def test_the_parts_over_many_sentences_are_asked_for_and_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as slow:
        slow.setattr(jobs, "SPEED", 1e6)
        (wait,) = [item for item in section("what_if", "board", model=LITTLE) if item["kind"] == "wait"]
    assert re.fullmatch(r"Measure every part \(about [\d,]+ (seconds|minutes|hours)\)", wait["words"])
    items = section("what_if", "board", model=LITTLE, agreed=True)
    *_, found = importance(text_encoder(LITTLE), "mean")
    harm, error = found.harm[:, :-1], found.harm_error[:, :-1]
    layer, head = divmod(int(harm.argmax()), 3)
    most = f"{float(harm[layer, head]):.3g} ± {float(error[layer, head]):.3g}"
    line = f"head {head} of layer {layer} matters most, {most}; {int((harm > 2 * error).sum())} of 6 heads"
    assert line in words(items)
    (table,) = [item for item in items if item["kind"] == "table"]
    np.testing.assert_allclose([row[1:] for row in table["rows"]], found.harm_error.numpy(), rtol=1e-6)


def test_the_shares_of_a_guess_by_parts_and_by_words_add_up(base: TextEncoder) -> None:
    here, trace = {"sentence": CAPITAL, "layer": "5", "head": "3"}, base.trace(CAPITAL)
    paris = base.word_id(trace, 6, "paris")
    logit, blank = (float(run["mlm.logits"][6, paris]) for run in (trace, base.trace("[MASK] " * 7)))
    items = section("what_if", "parts", **here)
    parts = numbers(pictures(items)["why_parts"])
    assert parts.shape == (6, 9) and 0.9 * logit < parts.sum() < 1.1 * logit  # the rest is said: embedding and biases
    assert "Head 3 of layer 5 puts in most" in words(items)
    gathered = numbers(pictures(items)["why_head"], "y")
    assert gathered.sum() == pytest.approx(float(parts[5, 3]), abs=1e-4)
    rather = pictures(section("what_if", "parts", why_other="rome", **here))["why_parts"]
    assert "the logit of “paris” minus that of “rome”" in rather["more"]
    items = section("what_if", "words", agreed=True, **here)
    assert numbers(pictures(items)["why_words"], "y").sum() == pytest.approx(logit - blank, rel=0.01)
    assert "“capital” speaks most for it" in words(items) and "is missing, with 50 steps" in words(items)
    assert numbers(pictures(items)["why_deleted"], "y")[[0, -1]] == pytest.approx([logit, blank], abs=1e-3)
    looked = section("what_if", "words", agreed=True, why_method="gradient × attention", **here)
    assert "why_heads" in pictures(looked) and "why_heads" not in pictures(items)


def test_a_word_that_cannot_be_explained_is_said_where_it_is_typed() -> None:
    for name in ("parts", "words"):
        items = section("what_if", name, sentence=CAPITAL, why_word="qqqqzzzz", agreed=True)
        (error,) = [item["words"] for item in items if item["kind"] == "error"]
        assert "is not one word of the vocabulary" in error and not pictures(items)
        assert asked(items, "why_word")["chosen"] == "qqqqzzzz"
    assert "no head that guesses words" in words(section("what_if", "parts", model="paper", sentence="w"))
    lost = "layers.1.output:scale:v=3e38;layers.2.output:scale:v=3e38"
    items = section("what_if", "words", sentence=CAPITAL, model="small", edits=lost, agreed=True)
    assert "only a number can be shared out" in words(items)
