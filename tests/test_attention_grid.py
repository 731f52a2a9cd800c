"""What is computed again of a head's softmax is what the encoder computes when it is changed so."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from answers import answer
from tiny import SENTENCE, TINY, VARIANTS, each_name, tiny
from twins import MODELS, saved

from encoder import Edit, TextEncoder
from encoder.figures import attention_grid
from encoder.figures.attention_grid import MOST, frames, in_the_way
from encoder.metrics.softmax import Setting, hidden_cells, recomputed
from encoder.pictures.registry.grids import ATTENTION_GRID, read_pair
from encoder.pictures.view import EXAMPLE

SETTINGS = (Setting(0.1), Setting(0.7), Setting(5.0), Setting(scaled=False), Setting(2.0, False))
FRAMES = [f"attention.{name}" for name in ("scores", "scaled", "masked", "weights", "heads")]
AT = "layers.1.attention."


def names() -> tuple[str, ...]:
    return ("scores", "scaled", "masked", "weights")


@pytest.mark.parametrize("name", each_name())
def test_every_shape_of_encoder_has_the_same_frames(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    assert [step.local for step in frames(encoder.trace(SENTENCE), 1)] == FRAMES
    against_the_encoder(encoder, SENTENCE, hidden=(2,))


@pytest.mark.parametrize("name", ["bert", "roberta", "distilbert", "electra-generator", "albert"])
def test_models_of_transformers_have_the_same_frames(name: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS[name])
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert [step.local for step in frames(encoder.trace("w1 w2 w3"), 2)] == FRAMES
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
    assert not short[AT + "weights"][:, :, torch.from_numpy(hidden[0])].any()
    causal = encoder.trace(SENTENCE, edits=(Edit(AT + "masked", "causal"),))
    np.testing.assert_array_equal(hidden_cells(causal, 1, 0), np.triu(np.ones((7, 7), bool), 1))


def test_beyond_64_tokens_a_part_around_the_pair_is_told_of(base: TextEncoder) -> None:
    trace = base.trace("The old man and the sea were friends. " * 12)
    n = len(trace.tokens)
    said = answer(ATTENTION_GRID, base, trace, 3, 2, grid=f"{n - 1},0").sentence
    assert f"Drawn are queries {n - MOST} to {n - 1} and keys 0 to {MOST - 1} of {n}." in said


def test_a_change_of_these_steps_stands_in_the_way(small: TextEncoder) -> None:
    def of(*edits: Edit) -> str:
        return in_the_way(small.trace("The cat ran.", edits=edits), 1, 2)

    assert "set to zero" in of(Edit(AT + "heads", "zero", heads=(2,)))
    for edit in (Edit(AT + "scaled", "bypass"), Edit(AT + "weights", "mean"), Edit(AT + "masked", "scale", value=2.0)):
        assert of(edit)
    for edit in (
        Edit(AT + "heads", "zero", heads=(0,)), Edit("layers.0.attention.scaled", "bypass"),
        Edit(AT + "scores", "scale", value=2.0), Edit(AT + "masked", "causal"),
    ):  # fmt: skip
        assert of(edit) == ""
    assert in_the_way(small.trace("The cat ran.", edits=[Edit(AT + "scaled", "zero")]), 0, 2) == ""


def test_a_score_that_was_set_to_minus_infinity_is_not_masked(small: TextEncoder) -> None:
    broken = small.trace("The cat.", edits=[Edit(AT + "scores", "replace", value=-math.inf)])
    assert not hidden_cells(broken, 1, 0).any()


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


def test_every_temperature_can_be_said_in_a_link() -> None:
    for heat in attention_grid.HEATS:
        assert read_pair(f"1,2,{heat},1", 5) == (1, 2, Setting(heat, True))
    assert read_pair("1,2", 5) == (1, 2, Setting()) and read_pair("1,2,0.5", 5) == (1, 2, Setting(0.5))


def test_the_frames_are_those_of_the_catalogue(base: TextEncoder) -> None:
    assert [step.local for step in frames(base.trace("I"), 2)] == FRAMES
