"""The packet of the embedding holds the steps of its run, the nearest words as measured elsewhere, and no more."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from in_turn import in_turn
from shared_models import pretrained

from encoder import PRESETS, EncoderConfig, TextEncoder
from encoder.edits.edit import Edit
from encoder.metrics import nearest_words
from encoder.model.embedding import sinusoidal_positions
from encoder.packet.embedding import MOST_ROWS, NEAREST, level_4
from encoder.packet.format import Stored, unpack
from encoder.packet.levels import MORE
from encoder.packet.run import LONGEST, level_1
from encoder.support.formatting import shown
from encoder.trace.trace import Trace

SENTENCE = "The [MASK] sat on unbelievably soft mats, and the [MASK]."
SIZE = {"vocab_size": 16384, "max_positions": 512, "n_layers": 1}
CONFIGS = {
    "learned": EncoderConfig(
        d_model=60,
        n_heads=12,
        d_ff=110,
        positions="learned",
        n_segments=2,
        embedding_norm=True,
        scale_embeddings=False,
        **SIZE,
    ),
    "std": EncoderConfig(d_model=48, n_heads=3, d_ff=77, embedding_norm=True, norm="std_norm", **SIZE),
    "rotary": replace(PRESETS["modern"], d_model=56, n_heads=7, d_ff=66, window=2, **SIZE),
    "distances": EncoderConfig(d_model=48, n_heads=3, d_ff=77, positions="none", position_buckets=32, **SIZE),
    "none": EncoderConfig(d_model=48, n_heads=3, d_ff=77, positions="none", **SIZE),
    "narrow": EncoderConfig(
        d_model=48, n_heads=3, d_ff=77, embedding_size=20, positions="learned", embedding_norm=True, **SIZE
    ),
}


@cache
def encoder_of(model: str) -> TextEncoder:
    return TextEncoder.from_config(CONFIGS[model], 5, name=model) if model in CONFIGS else pretrained(model)


@cache
def trace_of(model: str) -> Trace:
    return encoder_of(model).trace(SENTENCE)


def packet(model: str, trace: Trace) -> tuple[dict[str, Any], dict[str, Stored]]:
    level, about, arrays = unpack(MORE[4](encoder_of(model), trace, -1))
    assert level == 4
    return about, arrays


def close(stored: Stored, values: np.ndarray) -> bool:
    half = 1e-9 if stored.scale is None else stored.scale / 2 * (1 + 1e-6)
    return stored.values.shape == values.shape and bool(np.abs(stored.numbers - values).max() <= half)


@in_turn("model", ["small", *CONFIGS])
def test_the_steps_are_those_of_the_run_and_add_up(model: str) -> None:
    """A browser adds them up again, number by number."""
    trace = trace_of(model)
    about, arrays = packet(model, trace)
    assert about["rows"] == list(range(len(trace.tokens))) and about["ids"] == list(trace.ids)
    for name in ("tokens", "scaled", "positions", "segments", "sum", "output"):
        assert name not in arrays or close(arrays[name], trace.array(f"embedding.{name}")), name
        assert name in arrays or name == "scaled" or f"embedding.{name}" not in trace, name
    scaled = encoder_of(model).config.scale_embeddings
    assert ("scaled" in arrays, about["factor"] is not None) == (scaled, scaled)
    found = arrays["tokens"].numbers * (about["factor"] or 1) + arrays["positions"].numbers
    if "segments" in arrays:
        found = found + arrays["segments"].numbers
    total = arrays["sum" if "sum" in arrays else "output"].numbers
    np.testing.assert_allclose(found, total, atol=2e-3)


@in_turn("model", ["learned", "std", "rotary", "narrow"])
def test_the_norm_follows_from_what_the_packet_says(model: str) -> None:
    trace = trace_of(model)
    _, arrays = packet(model, trace)
    x, kind = arrays["sum"].numbers, encoder_of(model).config.norm
    eps = encoder_of(model).config.norm_eps
    variance = arrays["variance"].numbers[:, None]
    spread = np.sqrt(variance) + eps if kind == "std_norm" else np.sqrt(variance + eps)
    beta = arrays["beta"].numbers if "beta" in arrays else 0.0
    after = (x - arrays["mean"].numbers[:, None]) / spread * arrays["gamma"].numbers + beta
    np.testing.assert_allclose(after, arrays["normed" if model == "narrow" else "output"].numbers, atol=2e-3)


@in_turn("model", ["small", "narrow"])
def test_the_nearest_words_are_those_of_the_table(model: str) -> None:
    trace, encoder = trace_of(model), encoder_of(model)
    about, _ = packet(model, trace)
    near, whose = about["near"], about["near_of"]
    assert isinstance(near, list) and isinstance(whose, list)
    assert len(near) == len(set(trace.ids)) < len(trace.ids)  # twice the same token has its words once
    for i, own in enumerate(trace.ids):
        found = near[whose[i]]
        expected = nearest_words(encoder, own, NEAREST)
        assert [word for word, _ in found] == [shown(word, LONGEST) for word, _ in expected]
        np.testing.assert_allclose([value for _, value in found], [value for _, value in expected], atol=2e-6)


@in_turn(
    ("model", "kind", "added"),
    [
        ("base", "sinusoidal", True),
        ("learned", "learned", True),
        ("rotary", "rotary", False),
        ("distances", "distances", False),
        ("none", "none", False),
    ],
)
def test_it_says_how_the_model_knows_of_places(model: str, kind: str, added: bool) -> None:
    trace = trace_of(model)
    about, arrays = packet(model, trace)
    assert (about["positions"], "alike" in arrays) == (kind, added)
    if added:
        places = trace["embedding.positions"]
        cosines = torch.nn.functional.cosine_similarity(places[:, None], places[None], dim=-1)
        assert close(arrays["alike"], cosines.numpy()) or np.abs(arrays["alike"].numbers - cosines.numpy()).max() < 1e-4


def test_waves_and_turns_are_those_of_their_formulas() -> None:
    _, arrays = packet("base", trace_of("base"))
    n, width = arrays["positions"].values.shape
    assert close(arrays["positions"], sinusoidal_positions(n, width).numpy())
    about, arrays = packet("rotary", trace_of("rotary"))
    n, pairs = arrays["cos"].values.shape
    theta, divisor = about["theta"], about["divisor"]
    assert pairs == encoder_of("rotary").config.d_head // 2
    assert isinstance(theta, float) and isinstance(divisor, float)
    angle = np.arange(n)[:, None] / theta ** (np.arange(pairs) / pairs) / divisor
    np.testing.assert_allclose(arrays["cos"].numbers, np.cos(angle), atol=1e-4)
    np.testing.assert_allclose(arrays["sin"].numbers, np.sin(angle), atol=1e-4)


def test_a_change_that_takes_the_places_away_leaves_none() -> None:
    trace = encoder_of("base").trace(SENTENCE, edits=(Edit("embedding.positions", "zero"),))
    about, arrays = packet("base", trace)
    assert about["positions"] == "sinusoidal" and "alike" not in arrays
    assert not arrays["positions"].values.any()


LONG: dict[str, Callable[[str], str]] = {
    "no gap": lambda text: text,
    "a gap late": lambda text: f"{text} [MASK] {text}",
}


@in_turn("text", LONG)
def test_a_long_run_is_cut_to_the_rows_that_a_picture_can_choose_from(text: str) -> None:
    encoder = encoder_of("none")
    trace = encoder.trace(LONG[text]("The cat chased the mouse because it was hungry. " * 35))
    data = level_4(encoder, trace)
    _, about, arrays = unpack(data)
    rows, held = about["rows"], unpack(level_1(encoder, trace, off=False))[1]
    assert set(rows) <= set(held["rows"]) and len(rows) == min(len(held["rows"]), MOST_ROWS) < len(trace.tokens)
    assert held["gap"] < 0 or held["gap"] in rows
    assert arrays["tokens"].values.shape[0] == len(about["near_of"]) == len(rows)
    assert close(arrays["output"], trace.array("embedding.output")[rows[0] : rows[-1] + 1])
    assert len(data) < 2_500_000
