"""The tour of a model: what it says is counted anew, on trained and untrained models and on checkpoints of others."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from in_turn import in_turn
from shared_models import pretrained
from tiny import SENTENCE, TINY, tiny
from twins import MINILM, MODELS, saved

from encoder import PRESETS, TextEncoder
from encoder.metrics import ROLES
from encoder.teach.story import tour
from encoder.teach.story.stop import subject

pytestmark = pytest.mark.slow

CASES: dict[str, str | tuple[str, str]] = {
    "base": "The animal didn't cross the street because it was too wide.",
    "small": "Hello",
    "minilm": "My dog chased the cat because it was hungry.",
    "untrained": ("My dog slept.", "He was tired."),
    "no head": SENTENCE,
}


@cache
def made(name: str) -> TextEncoder:
    if name in ("base", "small"):
        return pretrained(name)
    if name == "minilm":
        return pretrained(MINILM)
    if name == "untrained":
        return TextEncoder.from_config(replace(PRESETS["paper"], vocab_size=16384, n_layers=2, d_model=64, n_heads=4))
    return tiny(TINY)


@in_turn("name", CASES)
def test_what_kind_it_is(name: str) -> None:
    encoder = made(name)
    said, config = " ".join(tour.kind(encoder)), encoder.config
    counted = sum(weight.numel() for weight in encoder.model.parameters())
    number, millions = re.search(r"and ([\d.,]+)( million)? parameters", said).groups()
    assert float(number.replace(",", "")) * (1e6 if millions else 1) == pytest.approx(counted, rel=0.01)
    assert float(number.replace(",", "")) >= 1  # no part of a million
    assert "has learned" not in said
    assert f"{config.n_layers} layers of {config.n_heads} heads" in said and f"{config.vocab_size:,} tokens" in said
    assert ("drawn at random" in said) == (encoder.source.seed is not None)
    assert ("names no words" in said) == (encoder.model.mlm_head is None)
    assert ("before each part" in said) == config.norm_first


def shares(encoder: TextEncoder, role: str) -> np.ndarray:
    """The mean weight that every head puts on a place, counted cell by cell."""
    total, queries = 0.0, 0
    for text in tour.OVER:
        trace = encoder.trace(text)
        n = len(trace.tokens)
        weights = np.stack([trace.array(f"layers.{i}.attention.weights") for i in range(encoder.config.n_layers)])
        offset = {"previous": -1, "next": 1, "self": 0}[role]
        cells = [(i, i + offset) for i in range(n) if 0 <= i + offset < n]
        total = total + sum(weights[:, :, i, j].astype(np.float64) for i, j in cells)
        queries += len(cells)
    return total / queries


@in_turn("name", ["base", "minilm", "untrained"])
def test_what_its_heads_do_is_counted(name: str) -> None:
    encoder = made(name)
    found = tour.habits(encoder)
    assert set(found) == set(tour.PLACES) <= set(ROLES)
    for role in ("previous", "next", "self"):
        mean = shares(encoder, role)
        assert {(one.layer, one.head) for one in found[role]} == set(zip(*np.nonzero(mean > 0.5), strict=True))
        assert [one.share for one in found[role]] == pytest.approx(sorted(mean[mean > 0.5], reverse=True), abs=1e-4)
    if name == "base":
        assert {role: len(them) for role, them in found.items() if role != "special"} == {
            "previous": 1,
            "next": 3,
            "self": 0,
            "punctuation": 0,
        }
    said = " ".join(tour.heads(encoder, encoder.trace(CASES[name]), found))
    total = encoder.config.n_layers * encoder.config.n_heads
    for role, them in found.items():
        look = "looks" if len(them) == 1 else "look"
        assert (f"{len(them)} of {total} heads {look} mostly at {tour.PLACES[role]}" in said) == bool(them)


@in_turn("name", CASES)
def test_what_to_try_is_there_and_leads_into_the_model(name: str) -> None:
    encoder = made(name)
    trace, config = encoder.trace(CASES[name]), encoder.config
    tried = tour.tries(encoder, trace, tour.habits(encoder))
    assert tried[0].page == "story" and len({one.page for one in tried}) == len(tried)
    assert ("stack" in [one.page for one in tried]) == (encoder.model.mlm_head is not None)
    for one in tried:
        assert one.layer is None or 0 <= one.layer < config.n_layers
        assert one.head is None or 0 <= one.head < config.n_heads
    look = next(one for one in tried if one.page == "sentence")
    about = subject(trace)
    assert (look.layer, look.head) == (about.layer, about.head) and trace.tokens[about.word] in look.text
    assert any("In this text: “" in said for said in tour.heads(encoder, trace, tour.habits(encoder)))


@in_turn("name", ["roberta", "albert", "distilbert-without-head"])
def test_a_family_of_others_has_a_tour(name: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS[name])
    encoder = TextEncoder.from_pretrained(tmp_path)
    trace = encoder.trace("w1 w2 w3")
    said = " ".join((*tour.kind(encoder), *tour.heads(encoder, trace, tour.habits(encoder))))
    assert ("one and the same" in said) == (name == "albert")
    assert ("names no words" in said) == (name == "distilbert-without-head")
    assert tour.tries(encoder, trace, {})
