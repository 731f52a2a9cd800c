"""What heads add, what norms do, where units stand: measures held to sums, loops and torch's own parts."""

import math
from dataclasses import replace

import pytest
import torch
from in_turn import in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import nn

from encoder import Edit, EncoderConfig, TextEncoder
from encoder.experiments import norm_order, swapped, wavelengths
from encoder.metrics import (
    activation_curve,
    head_outputs,
    head_shares,
    layer_shares,
    nearest_by_layer,
    nearest_words,
    never_positive,
    norm_sides,
    stream,
)
from encoder.model.embedding import sinusoidal_positions

every_variant = in_turn("config", [VARIANTS[name] for name in COVERING])


# Units on their curve


@in_turn(("name", "curve"), [("post-norm", nn.ReLU()), ("gelu", nn.GELU()), ("silu", nn.SiLU())])
def test_the_curve_is_torchs_and_spans_the_tokens_units(name: str, curve: nn.Module) -> None:
    trace = tiny(VARIANTS[name]).trace(SENTENCE)
    x, y = activation_curve(trace, 1, 3)
    hidden = trace["layers.1.feed_forward.hidden"][3]
    assert float(x[0]) == float(hidden.min()) and float(x[-1]) == pytest.approx(float(hidden.max()), abs=1e-6)
    assert torch.allclose(y, curve(x)) and bool((x.diff() > 0).all())


def test_a_unit_that_no_token_wakes_is_found_and_no_other() -> None:
    encoder = tiny(TINY)
    feed_forward = encoder.model.layers[1].feed_forward
    feed_forward.w_1.bias[7] = -1e6
    feed_forward.w_1.bias[9] = 1e6
    feed_forward.w_1.prepacked = None
    sentences = [SENTENCE, "w5 w6", "w7"]
    found = never_positive(encoder, sentences)
    assert found.shape == (2, TINY.d_ff) and bool(found[1, 7]) and not bool(found[1, 9])
    for layer in range(2):
        runs = [encoder.trace(text)[f"layers.{layer}.feed_forward.activation"] for text in sentences]
        silent = [all(bool((run[:, unit] == 0).all()) for run in runs) for unit in range(TINY.d_ff)]
        assert found[layer].tolist() == silent
    with pytest.raises(ValueError, match="give 1 or more"):
        never_positive(encoder, [])


# What heads add


@every_variant
def test_heads_through_their_rows_of_w_o_add_up_to_the_output(config: EncoderConfig) -> None:
    trace = tiny(config).trace(SENTENCE, edits=(Edit("layers.1.attention.heads", "scale", heads=(0,), value=3.0),))
    for layer in range(config.n_layers):
        parts = head_outputs(trace, layer)
        assert parts.shape == (config.n_heads, 7, config.d_model)
        bias = trace.model.layers[layer].attention.w_o.bias
        assert torch.allclose(parts.sum(0) + bias, trace[f"layers.{layer}.attention.output"], atol=1e-5)


def test_one_head_is_the_output_without_the_others() -> None:
    encoder, name = tiny(TINY), "layers.1.attention.heads"
    alone = encoder.trace(SENTENCE, edits=(Edit(name, "zero", heads=(0, 2)),))["layers.1.attention.output"]
    parts = head_outputs(encoder.trace(SENTENCE), 1)
    assert torch.allclose(parts[1], alone - encoder.model.layers[1].attention.w_o.bias, atol=1e-5)


def test_shares_of_heads_sum_to_one_and_an_idle_head_has_none() -> None:
    encoder = tiny(TINY)
    shares = head_shares(encoder.trace(SENTENCE), 0)
    assert shares.shape == (3, 7) and torch.allclose(shares.sum(0), torch.ones(7), atol=1e-5)
    idle = encoder.trace(SENTENCE, edits=(Edit("layers.0.attention.heads", "zero", heads=(1, 2)),))
    assert torch.allclose(head_shares(idle, 0), torch.tensor([[1.0], [0.0], [0.0]]).expand(3, 7), atol=1e-5)


# What layers add up


@every_variant
def test_shares_of_a_layer_sum_to_one(config: EncoderConfig) -> None:
    found = layer_shares(tiny(config).trace(SENTENCE))
    assert list(found) == ["residual", "attention", "feed-forward", "rest"]
    assert all(share.shape == (config.n_layers, 7) for share in found.values())
    assert torch.allclose(sum(found.values()), torch.ones(config.n_layers, 7), atol=1e-4)
    if config.norm_first:
        assert float(found["rest"].abs().max()) < 1e-4


def test_what_is_left_over_after_a_post_norm_is_its_beta() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    whole = trace["layers.1.add_norm_2.sum"]
    beta = (encoder.model.layers[1].norm1.bias * whole).sum(-1) / whole.square().sum(-1)
    assert torch.allclose(layer_shares(trace)["rest"][1], beta, atol=1e-4)


def test_a_sublayer_that_adds_nothing_has_no_share() -> None:
    trace = tiny(TINY).trace(SENTENCE, edits=(Edit("layers.0.feed_forward.output", "zero"),))
    found = layer_shares(trace)
    assert float(found["feed-forward"][0].abs().max()) == 0 < float(found["feed-forward"][1].abs().max())


# Before and after a norm, and the norm in either place


@every_variant
def test_a_norm_makes_what_comes_after_of_what_goes_in(config: EncoderConfig) -> None:
    trace = tiny(config).trace(SENTENCE)
    for part, norm in (("add_norm_1", "norm1"), ("add_norm_2", "norm2")):
        sides = norm_sides(trace, 1, part)
        assert torch.allclose(trace.model.layers[1].get_submodule(norm)(sides["before"]), sides["after"], atol=1e-5)


@in_turn("name", ["post-norm", "pre-norm", "shared-layers", "learned-positions", "preset-bert-base"])
def test_the_same_weights_run_in_both_orders(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    found = norm_order(encoder, SENTENCE)
    first = encoder.config.norm_first
    both = (found.pre_sides, found.post_sides) if first else (found.post_sides, found.pre_sides)
    assert found.own == ("pre-norm" if first else "post-norm")
    by_hand = tiny(replace(VARIANTS[name], norm_first=not first)).trace(SENTENCE)  # the seed draws the same
    for run, sides, apart in ((encoder.trace(SENTENCE), both[0], 0.0), (by_hand, both[1], 1e-5)):
        for part, layers in sides.items():
            for layer, values in enumerate(layers):
                for side, value in norm_sides(run, layer, part).items():
                    assert torch.allclose(values[side], value, rtol=apart, atol=apart), (part, layer, side)
    assert found.alike.shape == found.pre_length.shape == (encoder.config.n_layers + 1, 7)
    assert torch.allclose(found.alike[0], torch.ones(7), atol=1e-6)  # the same embedding goes in
    lengths = [row.norm(dim=-1) for row in stream(by_hand)]
    assert torch.allclose(found.post_length if first else found.pre_length, torch.stack(lengths), rtol=1e-4)


# Nearest words


@in_turn("name", ["mlm-head", "albert", "pre-norm"])
def test_nearest_words_of_every_layer_are_those_of_its_vector(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    found = nearest_by_layer(encoder, trace, 2, 3)
    assert len(found) == encoder.config.n_layers + 1
    outputs = ["embedding.output", *(f"layers.{i}.output" for i in range(encoder.config.n_layers))]
    assert found == [nearest_words(encoder, trace[step][2], 3) for step in outputs]
    with pytest.raises(ValueError, match="another model"):
        nearest_by_layer(tiny(TINY, 1), trace, 2)


# Positions


def test_every_pair_comes_round_after_its_wavelength() -> None:
    found = wavelengths(sinusoidal_positions(300, 32))
    expected = 2 * math.pi * 10_000.0 ** (torch.arange(0, 32, 2) / 32)
    assert torch.allclose(found.float(), expected, rtol=1e-3)
    learned = wavelengths(torch.randn(40, 6, generator=torch.Generator().manual_seed(0)))
    assert bool(learned.isnan().all())


def test_two_words_change_places_with_all_their_pieces(base: TextEncoder) -> None:
    text, other = "the unbelievable cat sleeps", "the sleeps cat unbelievable"
    pieces = base.tokenize(text)
    found = swapped(base, text, 2, 4)
    assert len(pieces.words[2]) > 1 or len(pieces.tokens) == 6
    theirs = base.trace(other)
    assert [pieces.ids[i] for i in found.order] == theirs.ids
    back = torch.tensor(found.order).argsort()
    assert torch.allclose(found.on, theirs["output"][back] - base.trace(text)["output"], atol=1e-4)
    assert found.largest_off < 1e-4 < 0.1 < found.largest_on
    with pytest.raises(ValueError, match="there is no word 9"):
        swapped(base, text, 1, 9)
    with pytest.raises(ValueError, match="both words are the same"):
        swapped(base, "the cat the dog", 1, 3)
