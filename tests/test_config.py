"""A value that cannot be is refused at once, by name, with what would be allowed."""

import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from in_turn import in_turn

from encoder import PRESETS, EncoderConfig, TextEncoder, preset
from encoder.model.distance import alibi_slopes, rotary_frequencies

WHOLE = {
    "vocab_size": "from 5 to 1000000",
    "d_model": "from 2 to 8192",
    "n_heads": "from 1 to 128",
    "n_layers": "from 1 to 96",
    "d_ff": "from 1 to 65536",
    "max_positions": "from 2 to 8192",
    "n_segments": "from 0 to 16",
    "position_buckets": "from 0 to 1024",
    "global_every": "from 1 to 96",
    "distance_span": "from 2 to 8192",
}
CHOICES = {
    "positions": "sinusoidal, learned, rotary, alibi, none",
    "activation": "relu, gelu, gelu_tanh, silu",
    "norm": "layer_norm, std_norm, rms_norm",
    "feed_forward_bias": "both, second, none",
    "distance_scores": "none, c2p, p2c, both",
}
FLAGS = (
    "norm_first",
    "final_norm",
    "embedding_norm",
    "scale_embeddings",
    "mlm_head",
    "shared_layers",
    "gated",
    "first_norm",
    "attention_bias",
    "norm_bias",
    "head_bias",
    "distance_norm",
    "distance_maps",
)


def refused(**fields: Any) -> str:
    """What is said of a configuration that cannot be."""
    with pytest.raises(ValueError) as error:
        EncoderConfig(**fields)
    return str(error.value)


@in_turn("value", [-1, 10**12, 8.0, True, math.nan, math.inf, "8", None, [8]])
@in_turn("name", WHOLE)
def test_sizes(name: str, value: Any) -> None:
    assert refused(**{name: value}) == f"{name} is {value!r}; it must be a whole number {WHOLE[name]}"


@in_turn("name", WHOLE)
def test_sizes_at_the_ends_of_their_range(name: str) -> None:
    low, high = (int(word) for word in WHOLE[name].split()[1::2])
    others = {"n_heads": 1} if name == "d_model" else {"d_model": 128} if name == "n_heads" else {}
    for value in (low, high):
        assert getattr(EncoderConfig(**{**others, name: value}), name) == value
    for value in (low - 1, high + 1):
        assert f"{name} is {value}; " in refused(**{**others, name: value})


@in_turn("value", ["rotated", "RELU", "", None, 0, True, ["relu"]])
@in_turn("name", CHOICES)
def test_choices(name: str, value: Any) -> None:
    assert refused(**{name: value}) == f"{name} is {value!r}; it must be one of {CHOICES[name]}"


@in_turn("value", [0, 1, "yes", None, 1.0])
@in_turn("name", FLAGS)
def test_flags(name: str, value: Any) -> None:
    assert refused(**{name: value}) == f"{name} is {value!r}; it must be true or false"


@in_turn(
    ("d_model", "n_heads", "divisors"),
    [(512, 7, "1, 2, 4, 8, 16, 32, 64, 128"), (30, 4, "1, 2, 3, 5, 6, 10, 15, 30"), (2, 3, "1, 2")],
)
def test_heads_must_divide_the_model(d_model: int, n_heads: int, divisors: str) -> None:
    assert refused(d_model=d_model, n_heads=n_heads) == (
        f"d_model {d_model} is not divisible by n_heads {n_heads}; n_heads can be {divisors}"
    )


def test_sinusoidal_positions_need_an_even_model() -> None:
    assert "d_model is 15; sinusoidal positions come in pairs" in refused(d_model=15, n_heads=3)
    assert EncoderConfig(d_model=15, n_heads=3, positions="learned").d_head == 5


def test_rotary_positions_need_an_even_head() -> None:
    assert "d_head is 5, d_model over n_heads; rotary positions turn pairs" in refused(
        d_model=15, n_heads=3, positions="rotary"
    )


@in_turn("value", [0, 0.5, -1.0, 1e10, math.nan, math.inf, True, "1e4"])
@in_turn("name", ["rope_theta", "local_rope_theta"])
def test_bases_of_angles(name: str, value: Any) -> None:
    assert refused(**{name: value}) == f"{name} is {value!r}; it must be a number from 1 to 1e9"


@in_turn("value", [0, 0.5, -2.0, 1e4, math.nan, math.inf, True, "2"])
@in_turn("name", ["rope_factor", "local_rope_factor"])
def test_factors_of_turns(name: str, value: Any) -> None:
    assert refused(rope_scaling="ntk", **{name: value}) == f"{name} is {value!r}; it must be a number from 1 to 1000"


def test_a_factor_needs_a_kind_of_scaling() -> None:
    assert refused(rope_factor=2.0) == "rope_factor is 2.0 with a rope_scaling of none; without scaling it must be 1"


def test_by_how_much_ntk_slows_each_pair() -> None:
    """The last pair by the whole factor, the first by its root of as many as there are pairs."""
    slow = EncoderConfig(positions="rotary", rope_theta=500_000.0, rope_scaling="ntk", rope_factor=2.0)
    plain = replace(slow, rope_scaling="none", rope_factor=1.0)
    ratio = rotary_frequencies(64, *plain.turns_of(0)) / rotary_frequencies(64, *slow.turns_of(0))
    assert ratio.tolist() == pytest.approx([2 ** (i / 32) for i in range(1, 33)], rel=1e-5)


@in_turn("value", [0, -1, 10**12, 64.0, True, "64", math.nan])
def test_window(value: Any) -> None:
    assert f"window is {value!r}; it must be a whole number from 1 to " in refused(window=value, mask_value=-1e9)


def test_a_window_needs_a_mask_that_leaves_weights_where_all_is_masked() -> None:
    assert "mask_value must be a number such as -1e9" in refused(window=64)


def test_scores_get_one_number_for_a_distance() -> None:
    assert "positions is 'alibi' and position_buckets 32; scores get one number" in refused(
        positions="alibi", position_buckets=32
    )


@in_turn(("heads", "slopes"), [(1, [-8]), (4, [-2, -4, -6, -8]), (3, [-4, -8, -2]), (6, [-2, -4, -6, -8, -1, -3])])
def test_slopes_are_those_of_the_paper(heads: int, slopes: list[int]) -> None:
    """Powers of two: of a number of heads that is none, the others come from every second of its double."""
    assert alibi_slopes(heads).log2().tolist() == slopes


def test_distances_are_counted_in_fours() -> None:
    assert refused(position_buckets=6) == "position_buckets is 6; it must be a multiple of 4"


@in_turn("fields", [{"window": 4, "mask_value": -1e9}, {"norm_first": True, "first_norm": False}])
def test_layers_that_are_one_cannot_differ(fields: dict[str, Any]) -> None:
    assert "layers that are one and the same" in refused(shared_layers=True, **fields)


def test_which_layers_have_a_window() -> None:
    config = PRESETS["modern"]
    assert [config.window_of(i) for i in range(6)] == [None, 64, 64, None, 64, 64]
    assert [config.theta_of(i) for i in range(4)] == [160_000.0, 10_000.0, 10_000.0, 160_000.0]


@in_turn("value", [0.0, -1e-5, 1.0, math.nan, math.inf, -math.inf, True, "1e-5", None])
def test_norm_eps(value: Any) -> None:
    assert refused(norm_eps=value) == f"norm_eps is {value!r}; it must be a number above 0 and below 1"


@in_turn("value", [0.0, -9999.0, 1e9, math.nan, math.inf, -1e300, True, "-inf", None])
def test_mask_value(value: Any) -> None:
    said = refused(mask_value=value)
    assert f"mask_value is {value!r}; it must be " in said
    assert "-10000" in said
    assert "minus infinity" in said


@in_turn("value", [-math.inf, -1e4, -1e9, -3e38, -(10**9)])
def test_mask_values_that_hide(value: float) -> None:
    assert EncoderConfig(mask_value=value).mask_value == value


@in_turn("value", [0, -1, 10**12, 128.0, True, "128", math.nan])
def test_trained_length(value: Any) -> None:
    said = refused(trained_length=value)
    assert f"trained_length is {value!r}; it must be a whole number from 1 to " in said


@in_turn("name", ["bert", "", "Paper", None, 3])
def test_unknown_preset(name: Any) -> None:
    with pytest.raises(ValueError) as error:
        preset(name)
    assert str(error.value) == f"there is no preset {name!r}; the presets are {', '.join(PRESETS)}"


@in_turn("name", PRESETS)
def test_presets_are_found(name: str) -> None:
    assert preset(name) is PRESETS[name]


def test_a_configuration_cannot_be_changed_and_can_be_a_key() -> None:
    config = EncoderConfig()
    with pytest.raises(FrozenInstanceError):
        config.d_model = 4
    assert {config: 1}[EncoderConfig()] == 1


def test_a_vocabulary_smaller_than_the_tokenizers_is_refused() -> None:
    with pytest.raises(ValueError, match="vocab_size is 100; this tokenizer needs 16384 or more"):
        TextEncoder.from_config(EncoderConfig(vocab_size=100))
