"""The grid's numbers are the recorded ones, and what it computes again is what the encoder computes when changed so."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import answer
from page_tools import maps
from tiny import SENTENCE, TINY, VARIANTS, each_name, tiny
from twins import MODELS, saved
from visits import opened

from encoder import Edit, TextEncoder, Trace
from encoder.figures import attention_grid
from encoder.figures.attention_grid import MOST, frames, grid, in_the_way
from encoder.figures.living_map_packet import unpacked
from encoder.metrics.softmax import Setting, hidden_cells, recomputed
from encoder.pictures.registry.grids import ATTENTION_GRID, read_pair
from encoder.pictures.view import EXAMPLE, Cell
from pages.ui.components import attention_grid as component

SENTENCES = (EXAMPLE, "The capital of France is [MASK].", "I", "!?")
SETTINGS = (Setting(0.1), Setting(0.7), Setting(5.0), Setting(scaled=False), Setting(2.0, False))
FRAMES = [f"attention.{name}" for name in ("scores", "scaled", "masked", "weights", "heads")]
AT = "layers.1.attention."


def check(trace: Trace, layer: int, head: int, query: int = 0, key: int = 0) -> dict[str, Any]:
    """Every number that is sent is the recorded one, in its place; returns what is said of them."""
    about, sent = unpacked(grid(trace, layer, head, query, key))
    rows, columns = slice(*about["rows"]), slice(*about["columns"])
    recorded = {name: trace[f"layers.{layer}.attention.{name}"][head].numpy() for name in (*names(), "q", "k", "v")}
    if trace.config.positions == "rotary":  # the scores are those of the turned ones
        for name in "qk":
            recorded[name] = trace[f"layers.{layer}.attention.{name}_rotated"][head].numpy()
    for name in ("scores", "masked", "weights"):
        np.testing.assert_array_equal(sent[name], recorded[name][rows])
    np.testing.assert_array_equal(sent["scaled"], recorded["scaled"][rows, columns])
    for name, part in (("q", rows), ("k", columns), ("v", slice(None))):
        np.testing.assert_array_equal(sent[name], recorded[name][part])
    np.testing.assert_array_equal(sent["z"], trace[f"layers.{layer}.attention.heads"][head].numpy()[rows])
    assert [frame["step"] for frame in about["frames"]] == FRAMES
    return about


def names() -> tuple[str, ...]:
    return ("scores", "scaled", "masked", "weights")


@pytest.mark.parametrize("text", SENTENCES)
def test_what_is_sent_is_what_was_recorded(base: TextEncoder, small: TextEncoder, text: str) -> None:
    for encoder in (base, small):
        trace = encoder.trace(text)
        for layer, head in ((0, 0), (encoder.model.config.n_layers - 1, encoder.model.config.n_heads - 1)):
            about = check(trace, layer, head)
            assert about["tokens"] == trace.tokens and about["blocked"] == ""
            assert not any(frame["changed"] for frame in about["frames"])


@pytest.mark.parametrize("name", each_name())
def test_every_shape_of_encoder_has_the_same_frames(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    check(encoder.trace(SENTENCE, hidden=(2,)), 1, encoder.model.config.n_heads - 1, 4, 1)
    against_the_encoder(encoder, SENTENCE, hidden=(2,))


@pytest.mark.parametrize("name", ["bert", "roberta", "distilbert", "electra-generator", "albert"])
def test_models_of_transformers_have_the_same_frames(name: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS[name])
    encoder = TextEncoder.from_pretrained(tmp_path)
    check(encoder.trace("w1 w2 w3"), 2, 1)
    against_the_encoder(encoder, "w1 w2 w3", hidden=(2,))


def against_the_encoder(encoder: TextEncoder, text: Any, *, edits: tuple[Edit, ...] = (), **asked: Any) -> None:
    """What is computed again is what the encoder computes when its run is changed so."""
    head = encoder.model.config.n_heads - 1
    trace = encoder.trace(text, edits=edits, **asked)
    for setting in SETTINGS:
        changed = encoder.trace(text, edits=(*edits, *setting.edits(1, head)), **asked)
        for name, values in recomputed(trace, 1, head, setting).items():
            np.testing.assert_allclose(values, changed[AT + name][head].numpy(), rtol=2e-5, atol=1e-7, err_msg=name)


def test_another_softmax_is_that_of_the_encoder(base: TextEncoder, small: TextEncoder) -> None:
    against_the_encoder(base, EXAMPLE)
    against_the_encoder(small, "The cat chased the mouse.", hidden=(2, 3))
    against_the_encoder(small, ("The cat sleeps.", "The dog ran."))
    against_the_encoder(small, "The cat ran.", edits=(Edit("layers.0.attention.heads", "zero", heads=(1,)),))
    against_the_encoder(small, "The cat ran.", edits=(Edit("layers.1.attention.masked", "causal"),))


def test_the_usual_softmax_is_the_recorded_one(base: TextEncoder) -> None:
    trace = base.trace(EXAMPLE)
    assert Setting().recorded and Setting().edits(4, 1) == ()
    for name, values in recomputed(trace, 4, 1, Setting()).items():
        np.testing.assert_allclose(values, trace[f"layers.4.attention.{name}"][1].numpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mask", [-math.inf, -1e9])
def test_hidden_tokens_and_padding_are_told_apart_from_low_scores(mask: float) -> None:
    encoder = tiny(replace(TINY, mask_value=mask))
    short, _ = encoder.trace(["w1 w2", SENTENCE], hidden=(1,))
    assert short.padding == 3
    hidden = hidden_cells(short, 1, 0)
    assert hidden.tolist() == [[j == 1 or j >= 4 for j in range(7)]] * 7
    about, sent = unpacked(grid(short, 1, 0, 0, 0))
    assert about["mask"] == (None if math.isinf(mask) else mask)
    np.testing.assert_array_equal(sent["hidden"], hidden)
    assert (sent["weights"][:, hidden[0]] == 0).all()
    said = "\u2212∞" if math.isinf(mask) else "\u22121e9"
    assert about["frames"][2]["formula"] == f"M = {said} where the key is hidden, else S"
    causal = encoder.trace(SENTENCE, edits=(Edit(AT + "masked", "causal"),))
    np.testing.assert_array_equal(hidden_cells(causal, 1, 0), np.triu(np.ones((7, 7), bool), 1))


def test_beyond_64_tokens_a_part_around_the_pair_is_sent_with_whole_rows(base: TextEncoder) -> None:
    trace = base.trace("The old man and the sea were friends. " * 12)
    n = len(trace.tokens)
    for query, key in ((0, 0), (50, n - 1), (n - 1, 60)):
        about = check(trace, 3, 2, query, key)
        for at, (first, last) in ((query, about["rows"]), (key, about["columns"])):
            assert 0 <= first <= at < last <= n and last - first == MOST
    said = answer(ATTENTION_GRID, base, trace, 3, 2, grid=f"{n - 1},0").sentence
    assert f"Drawn are queries {n - MOST} to {n - 1} and keys 0 to {MOST - 1} of {n}." in said
    assert len(grid(base.trace("The sea was old. " * 12), 3, 2, 0, 0)) < 200_000


def test_a_change_of_these_steps_is_named_and_stands_in_the_way(small: TextEncoder) -> None:
    def of(*edits: Edit) -> dict[str, Any]:
        return check(small.trace("The cat ran.", edits=edits), 1, 2)

    off = of(Edit(AT + "heads", "zero", heads=(2,)))
    assert "set to zero" in off["blocked"] and [bool(frame["changed"]) for frame in off["frames"]] == [False] * 4 + [
        True
    ]
    for edit in (Edit(AT + "scaled", "bypass"), Edit(AT + "weights", "mean"), Edit(AT + "masked", "scale", value=2.0)):
        assert of(edit)["blocked"]
    for edit in (
        Edit(AT + "heads", "zero", heads=(0,)), Edit("layers.0.attention.scaled", "bypass"),
        Edit(AT + "scores", "scale", value=2.0), Edit(AT + "masked", "causal"),
    ):  # fmt: skip
        assert of(edit)["blocked"] == ""
    assert "multiplied by 2.0" in of(Edit(AT + "scores", "scale", value=2.0))["frames"][0]["changed"]
    assert in_the_way(small.trace("The cat ran.", edits=[Edit(AT + "scaled", "zero")]), 0, 2) == ""


def test_a_run_without_numbers_is_sent_too(small: TextEncoder) -> None:
    broken = small.trace("The cat.", edits=[Edit(AT + "scores", "replace", value=-math.inf)])
    check(broken, 1, 0)
    assert not hidden_cells(broken, 1, 0).any(), "a score that was set to minus infinity is not masked"


def test_a_pair_outside_the_sentence_is_refused(small: TextEncoder) -> None:
    with pytest.raises(ValueError, match=r"the pair is 9, 0; positions go from 0 to 5"):
        grid(small.trace("The cat ran."), 0, 0, 9, 0)


def test_the_table_holds_every_pair(small: TextEncoder) -> None:
    trace = small.trace("The cat ran.")
    header, *rows = answer(ATTENTION_GRID, small, trace, 1, 2).rows()
    assert header == ("step", "query", *(f"{j} {token}" for j, token in enumerate(trace.tokens)))
    for row, (k, i) in zip(rows, np.ndindex(len(names()), len(trace.tokens)), strict=True):
        assert row[:2] == (f"{k} {names()[k]}", f"{i} {trace.tokens[i]}")
        assert list(row[2:]) == trace[AT + names()[k]][2, i].tolist()
    cold = small.trace("The cat ran.", edits=Setting(0.5).edits(1, 2))
    found = answer(ATTENTION_GRID, small, trace, 1, 2, grid="0,0,0.5").numbers.array
    for k, name in enumerate(names()):
        np.testing.assert_allclose(found[k], cold[AT + name][2].numpy(), rtol=1e-5, atol=1e-7)


def state(**query: str) -> dict[str, Any]:
    """What the page of attention has the grid show for a link."""
    return maps(opened("attention", query), "attention_grid")["state"]


def test_the_frame_is_the_step_of_the_page_and_the_pair_the_strongest() -> None:
    usual = {"query": 8, "key": 2, "heat": 1.0, "scaled": True}
    assert state() == {"step": "attention.weights", **usual}
    for step in FRAMES:
        assert state(step=step) == {"step": step, **usual}
    for step in ("attention.q", "attention.concat"):
        assert state(step=step) == {"step": "attention.scores", **usual}


def test_a_link_restores_pair_and_softmax() -> None:
    assert state(grid="3,9")["query"] == 3
    assert state(grid="3,9,0.5,0") == {"step": "attention.weights", "query": 3, "key": 9, "heat": 0.5, "scaled": False}
    found = state(cell="layers.4.attention.scaled:1,5,6")
    assert (found["query"], found["key"]) == (5, 6), "the opened number is the pair"
    assert state(grid="3,9,0.5,0", edits="layers.4.attention.scaled:bypass")["heat"] == 1.0


@pytest.mark.parametrize("text", ["3", "3,99", "3,9,0.55", "3,9,0.5,2", "3,9,0.5,1,1", "a,b", "-1,2", "3,9,nan", "³,1"])
def test_a_link_that_asks_for_what_is_not_there_says_so(text: str) -> None:
    app = opened("attention", {"grid": text})
    found = maps(app, "attention_grid")["state"]
    assert (found["query"], found["key"], found["heat"], found["scaled"]) == (8, 2, 1.0, True)
    assert any("(grid), which is not offered here" in warning.value.replace("\\", "") for warning in app.warning)
    assert "grid" not in app.query_params


GOOD = {"step": "attention.scaled", "query": 1, "key": 2, "heat": 0.5, "scaled": False}


@pytest.mark.parametrize(
    ("said", "chosen", "number"),
    [
        (GOOD, ("attention.scaled", 1, 2, Setting(0.5, False)), None),
        (GOOD | {"open": 2}, ("attention.scaled", 1, 2, Setting(0.5, False)), Cell(f"{AT}scaled", (3, 1, 2))),
        (GOOD | {"open": 6}, ("attention.scaled", 1, 2, Setting(0.5, False)), None),
        (GOOD | {"query": 6}, None, None), (GOOD | {"key": True}, None, None), (GOOD | {"heat": 0.55}, None, None),
        (GOOD | {"heat": "1"}, None, None), (GOOD | {"step": "output"}, None, None), (GOOD | {"step": [1]}, None, None),
        ({}, None, None), ([1], None, None), (None, None, None),
    ],
)  # fmt: skip
def test_what_a_browser_says_is_checked(
    said: Any, chosen: Any, number: Any, small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices: list[Any] = []
    numbers: list[Cell] = []
    monkeypatch.setattr(component.state, "picked", lambda key: said)
    component.take(
        small.trace("The cat ran."), 1, 3, choices.append, lambda step, index: numbers.append(Cell(step, index))
    )
    assert choices == ([chosen] if chosen else []) and numbers == ([number] if number else [])


def test_every_temperature_can_be_said_in_a_link() -> None:
    for heat in attention_grid.HEATS:
        assert read_pair(f"1,2,{heat},1", 5) == (1, 2, Setting(heat, True))
    assert read_pair("1,2", 5) == (1, 2, Setting()) and read_pair("1,2,0.5", 5) == (1, 2, Setting(0.5))


def test_the_frames_are_those_of_the_catalogue(base: TextEncoder) -> None:
    assert [step.local for step in frames(base.trace("I"), 2)] == FRAMES
