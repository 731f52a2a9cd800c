"""A configuration refuses at once what cannot be, by name and with what would be allowed, and is one line of text."""

import math
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from in_turn import in_turn

from encoder import PRESETS, EncoderConfig, TextEncoder, preset
from encoder.model.config_text import config_to_text, text_to_config
from encoder.model.distance import alibi_slopes, rotary_frequencies

NONE = (math.nan, math.inf, True, None)
NO_SIZES = (-1, 10**12, 8.0, "8", [8], *NONE)
WHOLE = {
    "vocab_size": (5, 1_000_000),
    "d_model": (2, 8192),
    "n_heads": (1, 128),
    "n_layers": (1, 96),
    "d_ff": (1, 65_536),
    "max_positions": (2, 8192),
    "n_segments": (0, 16),
    "position_buckets": (0, 1024),
    "global_every": (1, 96),
    "distance_span": (2, 8192),
}
CHOICES = {
    "positions": "sinusoidal, learned, rotary, alibi, none",
    "activation": "relu, gelu, gelu_tanh, silu",
    "norm": "layer_norm, std_norm, rms_norm",
    "feed_forward_bias": "both, second, none",
    "distance_scores": "none, c2p, p2c, both",
}
FLAGS = [field.name for field in fields(EncoderConfig) if field.type is bool]
DIVISORS = ((512, 7, "1, 2, 4, 8, 16, 32, 64, 128"), (30, 4, "1, 2, 3, 5, 6, 10, 15, 30"), (2, 3, "1, 2"))
PARTS: tuple[tuple[dict[str, Any], str], ...] = (  # fields that cannot be together, and part of what is said of them
    ({"d_model": 15, "n_heads": 3}, "d_model is 15; sinusoidal positions come in pairs"),
    ({"d_model": 15, "n_heads": 3, "positions": "rotary"}, "d_head is 5, d_model over n_heads; rotary positions turn"),
    ({"window": 64}, "mask_value must be a number such as -1e9"),
    ({"positions": "alibi", "position_buckets": 32}, "positions is 'alibi' and position_buckets 32; scores get one nu"),
    ({"distance_span": 8, "distance_limit": 5}, "distance_limit is 5; it must be a whole number from 6 to "),
    ({"shared_layers": True, "window": 4, "mask_value": -1e9}, "layers that are one and the same"),
    ({"shared_layers": True, "norm_first": True, "first_norm": False}, "layers that are one and the same"),
    *(
        ({"window": value, "mask_value": -1e9}, f"window is {value!r}; it must be a whole number from 1 to ")
        for value in (0, -1, 10**12, 64.0, True, "64", math.nan)
    ),
    *(
        ({"trained_length": value}, f"trained_length is {value!r}; it must be a whole number from 1 to ")
        for value in (0, -1, 10**12, 128.0, True, "128", math.nan)
    ),
    *(
        ({"mask_value": value}, said)
        for value in (0.0, -9999.0, 1e9, -1e300, "-inf", *NONE)
        for said in (f"mask_value is {value!r}; it must be ", "-10000", "minus infinity")
    ),
)


def refusals() -> Iterator[tuple[dict[str, Any], str]]:
    """Fields that cannot be, and all that is said of them."""
    for name, (low, high) in WHOLE.items():
        for value in (*NO_SIZES, low - 1, high + 1):
            yield {name: value}, f"{name} is {value!r}; it must be a whole number from {low} to {high}"
    for name, allowed in CHOICES.items():
        for value in ("rotated", "RELU", "", None, 0, True, ["relu"]):
            yield {name: value}, f"{name} is {value!r}; it must be one of {allowed}"
    for name in FLAGS:
        for value in (0, 1, "yes", None, 1.0):
            yield {name: value}, f"{name} is {value!r}; it must be true or false"
    for d_model, n_heads, divisors in DIVISORS:
        said = f"d_model {d_model} is not divisible by n_heads {n_heads}; n_heads can be {divisors}"
        yield {"d_model": d_model, "n_heads": n_heads}, said
    for value in (0, 0.5, -1.0, 1e10, math.nan, math.inf, True, "1e4"):
        for name in ("rope_theta", "local_rope_theta"):
            yield {name: value}, f"{name} is {value!r}; it must be a number from 1 to 1e9"
        for name in ("rope_factor", "local_rope_factor"):
            yield {"rope_scaling": "ntk", name: value}, f"{name} is {value!r}; it must be a number from 1 to 1000"
    for value in (0.0, -1e-5, 1.0, -math.inf, "1e-5", *NONE):
        yield {"norm_eps": value}, f"norm_eps is {value!r}; it must be a number above 0 and below 1"
    yield {"rope_factor": 2.0}, "rope_factor is 2.0 with a rope_scaling of none; without scaling it must be 1"
    yield {"position_buckets": 6}, "position_buckets is 6; it must be a multiple of 4"


@in_turn(("fields", "said"), refusals())
def test_what_cannot_be_is_refused_by_name(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as error:
        EncoderConfig(**fields)
    assert str(error.value) == said


@in_turn(("fields", "said"), PARTS)
def test_what_cannot_be_together_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as error:
        EncoderConfig(**fields)
    assert said in str(error.value)


def test_the_ends_of_every_range_can_be() -> None:
    for name, ends in WHOLE.items():
        others = {"n_heads": 1} if name == "d_model" else {"d_model": 128} if name == "n_heads" else {}
        for value in ends:
            assert getattr(EncoderConfig(**{**others, name: value}), name) == value
    for mask_value in (-math.inf, -1e4, -1e9, -3e38, -(10**9)):
        assert EncoderConfig(mask_value=mask_value).mask_value == mask_value
    assert EncoderConfig(d_model=15, n_heads=3, positions="learned").d_head == 5


def test_by_how_much_ntk_slows_each_pair() -> None:
    """The last pair by the whole factor, the first by its root of as many as there are pairs."""
    slow = EncoderConfig(positions="rotary", rope_theta=500_000.0, rope_scaling="ntk", rope_factor=2.0)
    plain = replace(slow, rope_scaling="none", rope_factor=1.0)
    ratio = rotary_frequencies(64, *plain.turns_of(0)) / rotary_frequencies(64, *slow.turns_of(0))
    assert ratio.tolist() == pytest.approx([2 ** (i / 32) for i in range(1, 33)], rel=1e-5)


def test_slopes_are_those_of_the_paper() -> None:
    """Powers of two: of a number of heads that is none, the others come from every second of its double."""
    for heads, slopes in ((1, [-8]), (4, [-2, -4, -6, -8]), (3, [-4, -8, -2]), (6, [-2, -4, -6, -8, -1, -3])):
        assert alibi_slopes(heads).log2().tolist() == slopes


def test_which_layers_have_a_window() -> None:
    config = PRESETS["modern"]
    assert [config.window_of(i) for i in range(6)] == [None, 64, 64, None, 64, 64]
    assert [config.theta_of(i) for i in range(4)] == [160_000.0, 10_000.0, 10_000.0, 160_000.0]


def test_presets_are_found_by_name_alone() -> None:
    assert all(preset(name) is config for name, config in PRESETS.items())
    for name in ("bert", "", "Paper", None, 3):
        with pytest.raises(ValueError) as error:
            preset(name)
        assert str(error.value) == f"there is no preset {name!r}; the presets are {', '.join(PRESETS)}"


def test_a_configuration_cannot_be_changed_and_can_be_a_key() -> None:
    config = EncoderConfig()
    with pytest.raises(FrozenInstanceError):
        config.d_model = 4
    assert {config: 1}[EncoderConfig()] == 1


def test_a_vocabulary_smaller_than_the_tokenizers_is_refused() -> None:
    with pytest.raises(ValueError, match="vocab_size is 100; this tokenizer needs 16384 or more"):
        TextEncoder.from_config(EncoderConfig(vocab_size=100))


# As one line


def test_a_configuration_reads_back_from_its_line_which_holds_what_differs() -> None:
    others = [EncoderConfig(mask_value=-1e9, norm_eps=1e-12), EncoderConfig(trained_length=128)]
    for config in (*PRESETS.values(), *others):
        assert text_to_config(config_to_text(config, 7)) == (config, 7)
    assert config_to_text(EncoderConfig(), 0) == "seed=0"
    assert config_to_text(EncoderConfig(d_model=64, norm_first=True), 3) == "d_model=64,norm_first=true,seed=3"
    assert text_to_config("") == (EncoderConfig(), 0) and text_to_config("")[0].mask_value == -math.inf


@in_turn(
    ("text", "said"),
    [
        ("d_model", "is not part of a configuration"),
        ("d_model=64;n_heads=4", "is not part of a configuration"),
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
def test_a_line_that_is_none_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        text_to_config(text)
