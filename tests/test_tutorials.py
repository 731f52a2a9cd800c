"""What tutorials describe and a run alone does not show: dropout, bare words, one matrix for all heads, a slope."""

import math
from dataclasses import replace

import pytest
import torch
from tiny import SENTENCE, TINY, VARIANTS, each, tiny
from torch.autograd.functional import jacobian

from encoder import PRESETS, TextEncoder
from encoder.checkpoint.build import on_meta
from encoder.experiments import (
    PLACES,
    bare,
    dropout,
    one_matrix,
    padding,
    softmax_gradient,
    softmax_of,
    softmax_slopes,
)
from encoder.explain.cost import depths, hyperparameters
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.glossary import TERMS

pytestmark = pytest.mark.slow

every_variant = pytest.mark.parametrize("config", each(VARIANTS))


# Dropout


@every_variant
def test_dropout_of_nothing_is_the_run_itself(config) -> None:
    encoder = tiny(config)
    output = encoder.trace(SENTENCE)["output"]
    for found in (dropout(encoder, SENTENCE, 0.0, runs=2), dropout(encoder, SENTENCE, 0.5, (), runs=2)):
        assert found.dropped == 0 and torch.allclose(found.plain, output, atol=1e-5)
        assert torch.allclose(found.runs, output.expand_as(found.runs), atol=1e-4)


@pytest.mark.parametrize("place", PLACES)
def test_dropout_zeroes_a_share_and_a_seed_pins_it(place: str) -> None:
    encoder = tiny(TINY)
    found = dropout(encoder, SENTENCE, 0.3, (place,), runs=40, seed=5)
    assert found.dropped == pytest.approx(0.3, abs=0.02) and found.runs.shape == (40, 7, 30)
    assert torch.equal(found.runs, dropout(encoder, SENTENCE, 0.3, (place,), runs=40, seed=5).runs)
    assert not torch.equal(found.runs, dropout(encoder, SENTENCE, 0.3, (place,), runs=40, seed=6).runs)
    assert float(found.alike.max()) < 1 and float(found.mean_alike.mean()) > float(found.alike.mean())


def test_more_dropout_moves_vectors_further(base: TextEncoder) -> None:
    alike = [float(dropout(base, "The cat sleeps.", p).alike.mean()) for p in (0.0, 0.1, 0.3)]
    assert alike[0] == pytest.approx(1, abs=1e-5) and alike[0] > alike[1] > alike[2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"p": 1.0}, "from 0 to 0.9"),
        ({"places": ("heads",)}, "holds 'heads'"),
        ({"runs": 0}, "1 or more"),
        ({"runs": 65}, "64 or less"),
    ],
)
def test_a_dropout_that_cannot_be_is_refused(given, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dropout(tiny(TINY), SENTENCE, **given)


# Bare words


def test_bare_words_are_as_many_rows_as_words(base: TextEncoder) -> None:
    found = bare(base, "I understand this")
    assert found.tokens == ("i", "understand", "this") and found.added == ("[CLS]", "[SEP]")
    assert found.alone.shape == found.with_added.shape == (3, 512)
    assert torch.allclose(found.with_added, base.trace("I understand this")["output"][1:-1], atol=1e-4)
    ids = torch.tensor([base.trace("I understand this").ids[1:-1]])
    assert torch.allclose(found.alone, base.run(ids)[0][0], atol=1e-4)
    assert float(found.alike.max()) < 1
    with pytest.raises(ValueError, match="has no word"):
        bare(base, "")


# One matrix


@every_variant
def test_one_matrix_is_a_matrix_for_each_head(config) -> None:
    trace = tiny(config).trace(SENTENCE)
    for found in one_matrix(trace, 1):
        assert found.whole == (config.d_model, config.d_model) and found.cut == (config.d_model, config.d_head)
        assert found.apart.shape == (config.n_heads,) and float(found.apart.max()) <= 1e-6 * max(1, found.size) * 10
        assert found.size == pytest.approx(float(trace[f"layers.1.attention.{found.name}"].abs().max()), rel=1e-5)


# The slope of softmax


@pytest.mark.parametrize("scores", [[2.0, 1.0, 0.1], [0.0, 0.0], [80.0, 0.0, -80.0], [3.0]])
def test_the_gradient_of_softmax_is_torchs(scores: list[float]) -> None:
    given = torch.tensor(scores, dtype=torch.float64)
    expected = jacobian(lambda s: s.softmax(-1), given)
    assert torch.allclose(softmax_gradient(scores), expected, atol=1e-6)
    assert torch.allclose(softmax_gradient(scores).sum(0), torch.zeros(len(scores), dtype=torch.float64), atol=1e-6)
    assert torch.allclose(softmax_of(scores).double(), given.softmax(-1), atol=1e-6)


def test_without_the_division_the_gradient_vanishes_with_the_width() -> None:
    found = softmax_slopes((4, 64, 1024))
    assert [one.d_head for one in found] == [4, 64, 1024]
    assert found[0].without > found[1].without > found[2].without and found[2].without < 0.1
    assert max(one.with_ for one in found) / min(one.with_ for one in found) < 1.3
    drawn = torch.randn((256, 17, 64), generator=torch.Generator().manual_seed(0))
    total = 0.0
    for row in drawn.double():
        scores = row[1:] @ row[0] / math.sqrt(64)
        total += float(jacobian(lambda s: s.softmax(-1), scores).square().sum().sqrt())
    assert found[1].with_ == pytest.approx(total / 256, rel=1e-5)


# A batch, and the shape of a model


def test_both_runs_of_a_batch_are_the_padded_sentences() -> None:
    masked, forgotten = padding(tiny(TINY), "w1 w2 w3", "w4 w5 w6 w7 w8 w9").runs
    assert masked.tokens == forgotten.tokens and masked.tokens[-1] == "[PAD]" and masked.padding == 3
    name = "layers.1.attention.weights"
    assert float(masked[name][..., 5:].sum()) == 0 < float(forgotten[name][:, :5, 5:].sum())
    assert bool(masked["layers.1.attention.masked"][..., 5:].isinf().all())


@pytest.mark.parametrize("name", PRESETS)
def test_depths_count_what_such_a_model_would_hold(name: str) -> None:
    config = PRESETS[name]
    for one in depths(config):
        model = on_meta(replace(config, n_layers=one.layers, d_ff=4 * config.d_model))
        assert one.parameters == sum(tensor.numel() for tensor in model.parameters())
        assert one.block == sum(tensor.numel() for tensor in model.layers[-1].parameters())
    assert [one.layers for one in depths(config)] == [6, 12, 24]


def test_the_table_of_hyperparameters_is_the_papers() -> None:
    values = {row.name: row.value for row in hyperparameters(PRESETS["paper"])}
    assert values["N"] == "6" and values["d_model"] == "512" and values["h"] == "8"
    assert values["d_ff"] == "2,048 = 4 d_model" and values["d_k = d_v"] == "64 = 512 / 8"
    assert "no parameter" in values["positions"] and values["P_drop"].startswith("0 in every run")


def test_dropout_is_in_the_glossary_and_beside_the_steps_where_training_has_it() -> None:
    (term,) = (one for one in TERMS if one.name == "dropout")
    assert "nn.Dropout" in term.elsewhere
    assert set(term.steps) == {local for steps in PLACES.values() for local in steps}  # where the lab has it too
    assert set(term.steps) <= {step.local for step in catalogue(PRESETS["paper"])}
