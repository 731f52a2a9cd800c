"""Measures of layers, of the head's answers on the way and of feed-forward units, each against its formula."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from in_turn import in_turn
from tiny import SENTENCE, TINY, VARIANTS, tiny
from torch import Tensor

from encoder import EncoderConfig, TextEncoder, Trace
from encoder.metrics import (
    cka_matrix,
    final_answer,
    lens_words,
    linear_cka,
    logit_lens,
    nearest_words,
    norm_moments,
    pca,
    race,
    settled,
    stream,
    sublayer_lengths,
    survey_cost,
    token_paths,
    unit_vector,
    unit_words,
)

with_head = in_turn("config", [c for c in VARIANTS.values() if c.mlm_head])


def noise(*shape: int, seed: int = 0) -> Tensor:
    """Some numbers, off centre."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) + 0.3


def size(vector: Tensor) -> float:
    """Euclidean length by its formula."""
    return math.sqrt(math.fsum(v * v for v in vector.tolist()))


# Linear CKA


def test_cka_of_known_pairs() -> None:
    x = noise(40, 5)
    turn = torch.linalg.qr(noise(5, 5, seed=1)).Q
    assert linear_cka(x, x) == pytest.approx(1)
    assert linear_cka(x, 3 * x @ turn + 7) == pytest.approx(1, abs=1e-6)
    assert linear_cka(torch.tensor([[1.0], [-1.0], [1.0], [-1.0]]), torch.tensor([[1.0], [1.0], [-1.0], [-1.0]])) == 0
    assert math.isnan(linear_cka(torch.ones(5, 2), noise(5, 2)))
    assert linear_cka(x[:2], noise(2, 9)) == pytest.approx(1)  # two samples always agree: the bias that debiased cures


def test_cka_is_its_formula_debiased_or_not() -> None:
    x, y = noise(9, 4).double(), (noise(9, 6, seed=1) + noise(9, 1)).double()
    cx, cy = x - x.mean(0), y - y.mean(0)
    plain = (cy.T @ cx).square().sum() / ((cx.T @ cx).norm() * (cy.T @ cy).norm())
    assert linear_cka(x, y) == pytest.approx(float(plain), rel=1e-6)

    def hsic(k: Tensor, m: Tensor) -> float:
        """The estimator of Song et al. 2012, in the words of Nguyen et al. 2021, equation 3."""
        n, ones = len(k), torch.ones(len(k), dtype=k.dtype)
        k, m = k - k.diag().diag(), m - m.diag().diag()
        all_pairs = (ones @ k @ ones) * (ones @ m @ ones) / ((n - 1) * (n - 2))
        return float((k @ m).trace() + all_pairs - 2 / (n - 2) * (ones @ k @ m @ ones)) / (n * (n - 3))

    k, m = x @ x.T, y @ y.T
    expected = hsic(k, m) / math.sqrt(hsic(k, k) * hsic(m, m))
    assert linear_cka(x, y, debiased=True) == pytest.approx(expected, rel=1e-6)
    assert linear_cka(x, x, debiased=True) == pytest.approx(1)


def test_cka_matrix_is_cka_of_every_pair() -> None:
    layers = noise(4, 13, 5)
    for debiased in (False, True):
        found = cka_matrix(layers, debiased)
        expected = [[linear_cka(a, b, debiased) for b in layers] for a in layers]
        assert found.numpy() == pytest.approx(torch.tensor(expected).numpy(), abs=1e-6)


def test_cka_needs_samples() -> None:
    for sizes, debiased, said in (
        ((3, 4), False, "3 and 4 samples"),
        ((1, 1), False, "1 samples; linear CKA needs 2 or more"),
        ((3, 3), True, "3 samples; linear CKA debiased needs 4 or more"),
    ):
        with pytest.raises(ValueError, match=said):
            linear_cka(noise(sizes[0], 2), noise(sizes[1], 2), debiased)


@in_turn("field", ["n_layers", "n_heads"])
def test_a_survey_of_twice_the_layers_or_heads_costs_at_most_four_times_as_much(field: str) -> None:
    """It runs all of them, and compares each with every other."""
    few, many = (survey_cost(replace(TINY, **{"d_model": 192, field: n}), [200] * 50) for n in (32, 64))
    assert 1 < many.flops / few.flops <= 4 and 1 < many.nbytes / few.nbytes <= 2


# Paths


def test_pca_is_the_eigenvectors_of_the_covariance() -> None:
    x = noise(3, 8, 5) * torch.tensor([5.0, 3.0, 2.0, 1.0, 0.5])
    found = pca(x, 3)
    flat = x.flatten(0, 1).double()
    values, vectors = torch.linalg.eigh(flat.T.cov(correction=0))
    assert found.shares.tolist() == pytest.approx((values.flip(0)[:3] / values.sum()).tolist(), rel=1e-5)
    for ours, theirs in zip(found.directions, vectors.flip(1).T, strict=False):
        assert abs(float(ours.double() @ theirs)) == pytest.approx(1, abs=1e-6)
        assert ours[ours.abs().argmax()] > 0
    assert found.points.shape == (3, 8, 3)
    assert torch.allclose(found.points, (x - found.centre) @ found.directions.T, atol=1e-5)
    assert found.points.flatten(0, 1).mean(0).tolist() == pytest.approx([0] * 3, abs=1e-5)


def test_paths_share_one_basis(sara: Trace) -> None:
    assert pca(noise(2, 5), 4).points.shape == (2, 2)
    equal = pca(torch.ones(3, 4))
    assert equal.shares.tolist() == [0, 0] and not equal.points.any()
    found = token_paths(sara, 3)
    assert found.points.shape == (7, 10, 3)
    assert all(a >= b for a, b in pairwise(found.shares.tolist()))
    assert 0.3 < float(found.shares.sum()) < 1
    moved = (stream(sara)[4, 2] - found.centre) @ found.directions.T
    assert found.points[4, 2].tolist() == pytest.approx(moved.tolist(), abs=1e-3)


# The head on every layer


@with_head
def test_the_last_layer_of_the_lens_is_what_the_model_said(config: EncoderConfig) -> None:
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE)
    lens = logit_lens(encoder, trace)
    assert lens.shape == (config.n_layers + 1, 7, 53)
    assert torch.allclose(lens[-1], trace["mlm.probabilities"].log(), atol=1e-5)
    assert torch.allclose(lens.exp().sum(-1), torch.ones(config.n_layers + 1, 7), atol=1e-5)


@in_turn("name", ["mlm-head", "std-norm-everywhere"])
def test_the_lens_is_the_head_on_each_layers_output(name: str) -> None:
    config = VARIANTS[name]
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE)
    head, table = encoder.model.mlm_head, encoder.model.embedding.tokens.weight
    assert head is not None
    for layer, x in enumerate(stream(trace)):
        if encoder.model.final_norm is not None:
            x = encoder.model.final_norm(x)
        x = torch.relu(x @ head.transform.weight.T + head.transform.bias)
        logits = head.norm(x) @ table.T + head.bias
        expected = logits - logits.exp().sum(-1, keepdim=True).log()
        assert torch.allclose(logit_lens(encoder, trace)[layer], expected, atol=1e-4)


def test_the_lens_reads_some_positions_by_its_own_head(base: TextEncoder, small: TextEncoder, sara: Trace) -> None:
    whole = logit_lens(base, sara)
    assert torch.allclose(logit_lens(base, sara, [3, 0]), whole[:, [3, 0]], atol=1e-3)
    assert torch.allclose(whole[-1].exp(), sara["mlm.probabilities"], atol=1e-6)
    headless = tiny(TINY)
    with pytest.raises(ValueError, match="'tiny' has no masked-language-model head"):
        logit_lens(headless, headless.trace("w1"))
    with pytest.raises(ValueError, match=r"the trace is of another model \(base\) than this one \(small\)"):
        logit_lens(small, sara)


def test_an_answer_forms(base: TextEncoder) -> None:
    trace = base.trace("The cat [MASK] the mouse.")
    lens = logit_lens(base, trace)
    position = trace.tokens.index("[MASK]")
    answer, probability, rank = final_answer(lens)
    assert base.tokenizer.id_to_token(int(answer[position])) == "caught"
    words = lens_words(base, lens, 3)
    assert (len(words), len(words[0]), len(words[0][0])) == (7, len(trace.tokens), 3)
    assert words[-1][position][0] == ("caught", pytest.approx(0.354, abs=0.005))
    assert words[-1] == [[(w, pytest.approx(p)) for w, p in row] for row in base.predict(trace, 3) or []]
    assert probability[:, position].tolist() == pytest.approx(lens[:, position, answer[position]].exp().tolist())
    assert probability[0, position] < 0.01 < 0.3 < probability[-1, position]
    assert rank[-1].tolist() == [1] * len(trace.tokens)
    assert rank[0, position] > 100


def test_ranks_of_known_answers() -> None:
    lens = torch.tensor([[[0.5, 0.25, 0.25]], [[0.25, 0.25, 0.5]], [[0.25, 0.5, 0.25]]]).log()
    answer, probability, rank = final_answer(lens)
    assert answer.tolist() == [1]
    assert probability[:, 0].tolist() == pytest.approx([0.25, 0.25, 0.5])
    assert rank[:, 0].tolist() == [2, 2, 1]
    best, ranks = race(torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.2, 0.3], [0.1, 0.4, 0.3, 0.2]]).log(), 3)
    assert (best.tolist(), ranks.tolist()) == ([1, 2, 3], [[3, 2, 1], [4, 3, 2], [1, 2, 3]])
    first = {(2, 2, 1): 2, (1, 1, 1): 0, (1, 3, 1, 1): 2, (9, 1, 1): 1, (1,): 0}  # the row from which on it stays first
    assert {ranks: settled(torch.tensor(ranks)) for ranks in first} == first


# Words


def test_nearest_words_is_its_loop() -> None:
    encoder = tiny(TINY)
    table = encoder.model.embedding.tokens.weight.double()
    names = [encoder.tokenizer.id_to_token(i) for i in range(53)]
    for what, left_out in ((noise(30), None), (9, 9)):
        vector = (table[what] if isinstance(what, int) else what).double()
        words = [i for i, name in enumerate(names) if name.startswith("w") and i != left_out]
        cosines = {i: float(table[i] @ vector) / (size(table[i]) * size(vector)) for i in words}
        best = sorted(cosines, key=lambda i: -cosines[i])[:4]
        expected = [(encoder.tokenizer.id_to_token(i), pytest.approx(cosines[i], abs=1e-6)) for i in best]
        assert nearest_words(encoder, what, 4) == expected
    assert len(nearest_words(encoder, noise(30), 99)) == 48
    assert len(nearest_words(encoder, 9, 99)) == 47
    assert len(nearest_words(encoder, 0, 99)) == 48  # of [PAD], which is none itself
    assert [value for _, value in nearest_words(encoder, torch.zeros(30), 3)] == [0, 0, 0]


def test_what_has_no_nearest_words_is_refused() -> None:
    encoder = tiny(TINY)
    with pytest.raises(ValueError, match="token id is 53; it must be a whole number from 0 to 52"):
        nearest_words(encoder, 53)
    with pytest.raises(ValueError, match=r"the vector is \[7\]; it must be \[30\]"):
        nearest_words(encoder, noise(7))
    for layer, unit, said in (
        (2, 0, "layer is 2"),
        (-1, 0, "layer is -1"),
        (0, 44, "unit is 44"),
        (0, -1, "unit is -1"),
    ):
        last = 1 if "layer" in said else 43
        with pytest.raises(ValueError, match=f"{said}; it must be a whole number from 0 to {last}"):
            unit_words(encoder, layer, unit)
    named = {name for name, _ in nearest_words(tiny(replace(TINY, vocab_size=55)), noise(30), 55)}
    assert named == {f"w{i}" for i in range(48)}  # what the tokenizer does not know is no word


def test_nearest_words_of_base(base: TextEncoder) -> None:
    assert {"cats", "dog"} <= {word for word, _ in nearest_words(base, base.tokenizer.token_to_id("cat"), 5)}
    own = nearest_words(base, base.model.embedding.tokens.weight[77], 1)
    assert own == [(base.tokenizer.id_to_token(77), pytest.approx(1, abs=1e-5))]
    of_unit = unit_words(base, 5, 100, 4)
    assert of_unit == nearest_words(base, base.model.layers[5].feed_forward.w_2.weight[:, 100], 4)
    assert all(a >= b for (_, a), (_, b) in pairwise(of_unit))


@in_turn("name", ["post-norm", "pre-norm"])
def test_unit_vectors_add_up_to_the_output_of_the_feed_forward(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    for i in range(2):
        layer, block = trace.layers[i].feed_forward, encoder.model.layers[i]
        written = sum(layer.activation[:, u, None] * unit_vector(encoder, i, u) for u in range(44))
        assert torch.allclose(written + block.feed_forward.w_2.bias, layer.output, atol=1e-4)


# Padding


def test_padding_is_left_out() -> None:
    encoder = tiny(VARIANTS["mlm-head"])
    alone, padded = encoder.trace("w1 w2"), encoder.trace(["w1 w2", SENTENCE])[0]
    assert (len(alone.tokens), len(padded.tokens), padded.padding) == (4, 7, 3)
    assert stream(padded).shape == (3, 4, 30)
    pairs = [
        (stream(padded), stream(alone)),
        (logit_lens(encoder, padded), logit_lens(encoder, alone)),
        (token_paths(padded).points, token_paths(alone).points),
    ]
    for ours, theirs in pairs:
        assert torch.allclose(ours, theirs, atol=1e-4)


# Sublayers and their norms


@in_turn("norm", ["layer_norm", "std_norm"])
@in_turn("part", ["add_norm_1", "add_norm_2"])
def test_moments_of_a_norm_are_sums_over_its_numbers(norm: str, part: str) -> None:
    trace = tiny(replace(TINY, norm=norm)).trace(SENTENCE)
    d = trace.config.d_model
    divisor = d - 1 if norm == "std_norm" else d
    found = norm_moments(trace, 1, part)
    for name, step in (("before", "sum"), ("normalized", "normalized"), ("after", "output")):
        for i, vector in enumerate(trace[f"layers.1.{part}.{step}"].tolist()):
            mean = math.fsum(vector) / d
            variance = math.fsum((v - mean) ** 2 for v in vector) / divisor
            assert float(found[f"mean {name}"][i]) == pytest.approx(mean, abs=1e-5)
            assert float(found[f"variance {name}"][i]) == pytest.approx(variance, rel=1e-4)


@in_turn(("part", "sublayer"), [("add_norm_1", "attention"), ("add_norm_2", "feed_forward")])
def test_lengths_are_those_of_the_two_vectors_that_are_added(part: str, sublayer: str) -> None:
    trace = tiny(TINY).trace(SENTENCE)
    found = sublayer_lengths(trace, 0, part)
    for i in range(len(trace.tokens)):
        assert float(found["residual"][i]) == pytest.approx(size(trace[f"layers.0.{part}.residual"][i]), rel=1e-5)
        assert float(found["added"][i]) == pytest.approx(size(trace[f"layers.0.{sublayer}.output"][i]), rel=1e-5)
