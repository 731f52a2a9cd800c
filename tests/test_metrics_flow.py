"""What flows between tokens: parts that add up to the recorded vectors, loops, and a maximum flow found by others."""

import math
from dataclasses import replace

import pytest
import torch
from in_turn import in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from encoder import EncoderConfig, TextEncoder, Trace
from encoder.metrics import (
    Mixing,
    disagreement,
    gained,
    mixing_parts,
    mixing_ratio,
    norm_weighted,
    residual_attention,
    rollout,
    transformed,
)

MIXINGS: tuple[Mixing, ...] = ("Attn-N", "AttnRes-N", "AttnResLn-N")
every_variant = in_turn("config", [*(VARIANTS[name] for name in COVERING), replace(TINY, n_layers=3)])


def close(ours: Tensor, theirs: Tensor, within: float = 1e-5) -> bool:
    """Whether two tensors of one shape hold the same numbers."""
    return ours.shape == theirs.shape and torch.allclose(ours.double(), theirs.double(), atol=within, rtol=within)


def size(vector: Tensor) -> float:
    """Euclidean length by its formula."""
    return math.sqrt(math.fsum(v * v for v in vector.tolist()))


def with_weights(trace: Trace, weights: Tensor) -> Trace:
    """The same run with other attention weights [n_layers, H, n, n], nothing after them recomputed."""
    values = {name: trace[name][None] for name in trace}
    values |= {f"layers.{i}.attention.weights": w[None] for i, w in enumerate(weights)}
    return Trace(trace.tokenization, trace.config, trace.source, values, trace.ready, model=trace.model)


# The vectors behind attention


@every_variant
def test_parts_of_all_heads_and_tokens_add_up_to_the_output(config: EncoderConfig) -> None:
    trace = tiny(config).trace(SENTENCE, hidden=(2,))
    for i in range(config.n_layers):
        at = trace.layers[i].attention
        parts = torch.einsum("hij,hjd->id", at.weights, transformed(trace, i))
        assert trace.model is not None
        assert close(parts + trace.model.layers[i].attention.w_o.bias, at.output)


def test_what_a_token_offers_is_its_vector_through_both_maps(base: TextEncoder, sara: Trace) -> None:
    block, x = base.model.layers[2].attention, sara["layers.2.attention.input"].double()
    v = x @ block.w_v.weight.double().T + block.w_v.bias.double()
    for h in (0, 3, 7):
        columns = slice(64 * h, 64 * (h + 1))
        assert close(transformed(sara, 2)[h], v[:, columns] @ block.w_o.weight.double().T[columns], 1e-4)


def test_norm_weighted_is_its_loop() -> None:
    trace = tiny(TINY).trace(SENTENCE, hidden=(3,))
    found, at = norm_weighted(trace, 1), trace.layers[1].attention
    assert trace.model is not None
    w_o = trace.model.layers[1].attention.w_o.weight.T
    for h in range(3):
        for i in range(7):
            for j in range(7):
                carried = float(at.weights[h, i, j]) * (at.v[h, j] @ w_o[10 * h : 10 * (h + 1)])
                assert float(found[h, i, j]) == pytest.approx(size(carried), rel=1e-4, abs=1e-9)
    assert not found[:, :, 3].any()  # nothing comes from a hidden token


def test_norms_differ_from_weights_where_vectors_differ_in_length() -> None:
    trace = tiny(TINY).trace(SENTENCE)
    found = disagreement(trace, 0)
    shares = norm_weighted(trace, 0)
    for h in range(3):
        for i in range(7):
            row, weights = shares[h, i].tolist(), trace.layers[0].attention.weights[h, i].tolist()
            expected = [f / sum(row) - w for f, w in zip(row, weights, strict=True)]
            assert found[h, i].tolist() == pytest.approx(expected, abs=1e-5)
    assert found.abs().max() > 0.01
    assert close(found.sum(-1), torch.zeros(3, 7))


def test_a_trace_without_its_model_says_so(sara: Trace) -> None:
    alone = Trace(sara.tokenization, sara.config, sara.source, {n: sara[n][None] for n in sara}, sara.ready)
    with pytest.raises(ValueError, match=r"Trace\('Keys on .* does not hold the model that made it"):
        norm_weighted(alone, 0)
    assert rollout(alone).shape == (6, 10, 10)


# Mixing


@every_variant
@in_turn("variant", MIXINGS)
def test_kept_and_mixed_add_up_to_the_recorded_vector(config: EncoderConfig, variant: Mixing) -> None:
    trace = tiny(config).trace(SENTENCE)
    if config.norm_first and variant == "AttnResLn-N":
        with pytest.raises(ValueError, match="this model is pre-norm"):
            mixing_parts(trace, 0, variant)
        return
    for i in range(config.n_layers):
        assert trace.model is not None
        layer, block = trace.layers[i], trace.model.layers[i]
        bias = block.attention.w_o.bias
        if variant == "AttnResLn-N":
            rms = config.norm == "rms_norm"
            spread = layer.add_norm_1.sum - (0 if rms else layer.add_norm_1.mean[:, None])
            normed = (bias - (0 if rms else bias.mean())) / (spread / layer.add_norm_1.normalized) * block.norm1.weight
            whole = layer.add_norm_1.output - block.norm1.bias - normed
        else:
            whole = (layer.attention.output if variant == "Attn-N" else layer.add_norm_1.sum) - bias
        kept, mixed = mixing_parts(trace, i, variant)
        assert close(kept + mixed, whole, 1e-4)
        ratio = mixing_ratio(trace, i, variant)
        assert ratio.tolist() == pytest.approx(
            [size(m) / (size(m) + size(k)) for m, k in zip(mixed, kept, strict=True)], rel=1e-4
        )


def test_mixing_is_its_loop() -> None:
    trace = tiny(TINY).trace(SENTENCE)
    offered, weights = transformed(trace, 1), trace.layers[1].attention.weights
    ratio = mixing_ratio(trace, 1)
    for i in range(7):
        kept = trace.layers[1].add_norm_1.residual[i] + sum(weights[h, i, i] * offered[h, i] for h in range(3))
        others = [(h, j) for h in range(3) for j in range(7) if j != i]
        mixed = sum(weights[h, i, j] * offered[h, j] for h, j in others)
        assert float(ratio[i]) == pytest.approx(size(mixed) / (size(mixed) + size(kept)), rel=1e-4)


def test_a_head_that_looks_at_itself_mixes_nothing_and_one_that_never_does_keeps_nothing() -> None:
    trace = tiny(TINY).trace(SENTENCE)
    eye = torch.eye(7).expand(2, 3, 7, 7)
    for variant in MIXINGS:
        assert mixing_ratio(with_weights(trace, eye), 0, variant).tolist() == [0.0] * 7
    away = with_weights(trace, eye.roll(1, -1))
    assert mixing_ratio(away, 0, "Attn-N").tolist() == pytest.approx([1.0] * 7)
    assert 0 < mixing_ratio(away, 0).min() < mixing_ratio(away, 0).max() < 1
    assert mixing_ratio(with_weights(trace, torch.zeros(2, 3, 7, 7)), 0, "Attn-N").tolist() == [0.0] * 7


def test_one_token_alone_has_an_answer_for_all() -> None:
    encoder = tiny(TINY)
    encoder.tokenizer.post_processor = TemplateProcessing(single="$A", special_tokens=[])
    trace = encoder.trace("w1")
    assert trace.tokens == ["w1"]
    assert norm_weighted(trace, 0).shape == (3, 1, 1)
    assert mixing_ratio(trace, 0).tolist() == [0.0]
    assert rollout(trace).tolist() == [[[1.0]], [[1.0]]]


def test_an_unknown_variant_is_refused(sara: Trace) -> None:
    with pytest.raises(ValueError, match="'LN'; it must be one of Attn-N, AttnRes-N, AttnResLn-N"):
        mixing_ratio(sara, 0, "LN")  # type: ignore[arg-type]


# Rollout


@every_variant
def test_rollout_is_its_loop_and_its_rows_sum_to_1(config: EncoderConfig) -> None:
    trace = tiny(config).trace(SENTENCE, hidden=(4,))
    found = rollout(trace)
    before = [[float(i == j) for j in range(7)] for i in range(7)]
    for layer in range(config.n_layers):
        weights = trace.layers[layer].attention.weights.double().mean(0).tolist()
        step = [[(weights[i][j] + (i == j)) / 2 for j in range(7)] for i in range(7)]
        before = [[sum(step[i][m] * before[m][j] for m in range(7)) for j in range(7)] for i in range(7)]
        assert close(found[layer], torch.tensor(before))
    assert close(found.sum(-1), torch.ones(config.n_layers, 7))


def test_residual_attention_divides_by_the_real_row_sum(sara: Trace) -> None:
    halved = with_weights(sara, torch.full((6, 8, 10, 10), 0.05))
    assert float(residual_attention(halved)[0, 3, 3]) == pytest.approx(1.05 / 1.5)


# Padding


def test_padding_is_left_out() -> None:
    encoder = tiny(TINY)
    alone, padded = encoder.trace("w1 w2"), encoder.trace(["w1 w2", SENTENCE])[0]
    assert (len(alone.tokens), len(padded.tokens), padded.padding) == (4, 7, 3)
    assert close(transformed(padded, 1), transformed(alone, 1))
    assert close(norm_weighted(padded, 1), norm_weighted(alone, 1))
    assert close(disagreement(padded, 1), disagreement(alone, 1))
    assert close(rollout(padded), rollout(alone))
    for variant in MIXINGS:
        assert close(mixing_ratio(padded, 1, variant), mixing_ratio(alone, 1, variant))


def test_what_one_token_gains_the_others_lose(sara: Trace) -> None:
    unlike = disagreement(sara, 3)
    more = gained(unlike)
    assert more.shape == unlike.shape[:2]
    assert float(more[2, 4]) == pytest.approx(sum(float(row[4]) for row in unlike[2]), abs=1e-5)
    assert bool((more.sum(-1).abs() < 1e-4).all())  # both are shares of every row
