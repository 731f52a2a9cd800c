"""What kind of model it is: counted anew, on trained and untrained models and on checkpoints of others."""

from dataclasses import replace
from pathlib import Path

import pytest
from in_turn import in_turn
from shared_models import pretrained
from tiny import TINY, tiny
from twins import MODELS, saved

from encoder import PRESETS, TextEncoder
from encoder.explain.kind import kind, shape

pytestmark = pytest.mark.slow


def made(name: str) -> TextEncoder:
    if name == "base":
        return pretrained(name)
    if name == "untrained":
        return TextEncoder.from_config(replace(PRESETS["paper"], vocab_size=16384, n_layers=2, d_model=64, n_heads=4))
    return tiny(TINY)


@in_turn("name", ["base", "untrained", "no head"])
def test_what_kind_it_is(name: str) -> None:
    encoder = made(name)
    said, config = " ".join(kind(encoder.config, encoder.source)), encoder.config
    counted = sum(weight.numel() for weight in encoder.model.parameters())
    layers, parameters = shape(config)
    number, _, million = parameters.partition(" ")
    assert float(number.replace(",", "")) * (1e6 if million else 1) == pytest.approx(counted, rel=0.01)
    assert float(number.replace(",", "")) >= 1  # no part of a million
    assert "has learned" not in said
    assert layers == f"{config.n_layers} layers of {config.n_heads} heads" and f"{config.vocab_size:,} tokens" in said
    assert ("drawn at random" in said) == (encoder.source.seed is not None)
    assert ("guesses no words" in said) == (encoder.model.mlm_head is None)
    assert ("before each part" in said) == config.norm_first


@in_turn("name", ["albert", "distilbert-without-head"])
def test_a_family_of_others_says_what_it_is(name: str, tmp_path: Path) -> None:
    saved(tmp_path, MODELS[name])
    encoder = TextEncoder.from_pretrained(tmp_path)
    said = " ".join(kind(encoder.config, encoder.source))
    assert ("share one set of weights" in said) == (name == "albert")
    assert "share" not in " ".join(kind(replace(encoder.config, n_layers=1), encoder.source))
    assert ("guesses no words" in said) == (name == "distilbert-without-head")
