"""A configuration as one line: written, read back, and refused in words."""

import math

import pytest
from in_turn import in_turn

from encoder.model.config import PRESETS, EncoderConfig
from encoder.model.config_text import config_to_text, text_to_config


@in_turn("name", PRESETS)
def test_every_preset_reads_back(name: str) -> None:
    assert text_to_config(config_to_text(PRESETS[name], 7)) == (PRESETS[name], 7)


def test_only_what_differs_is_written() -> None:
    assert config_to_text(EncoderConfig(), 0) == "seed=0"
    assert config_to_text(EncoderConfig(d_model=64, norm_first=True), 3) == "d_model=64,norm_first=true,seed=3"


@in_turn("config", [EncoderConfig(mask_value=-1e9, norm_eps=1e-12), EncoderConfig(trained_length=128)])
def test_reals_and_what_may_be_absent_read_back(config: EncoderConfig) -> None:
    assert text_to_config(config_to_text(config)) == (config, 0)


def test_an_empty_text_is_the_usual_configuration() -> None:
    assert text_to_config("") == (EncoderConfig(), 0)
    assert text_to_config("")[0].mask_value == -math.inf


@in_turn(
    ("text", "said"),
    [
        ("d_model", "is no part of a configuration"),
        ("d_model=64;n_heads=4", "is no part of a configuration"),
        ("__class__=1", "a configuration has no '__class__'"),
        ("d_model=sixty", "must be a whole number"),
        ("d_model=99999", "must be a whole number from 2 to 8192"),
        ("n_heads=7", "is not divisible by n_heads"),
        ("norm_first=1", "must be true or false"),
        ("norm_eps=nan", "norm_eps is nan"),
        ("norm_eps=tiny", "norm_eps is 'tiny'"),
        ("seed=-1", "seed is -1"),
        ("seed=none", "seed is 'none'"),
        ("x=" + "1" * 2000, "at most 1000"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        text_to_config(text)
