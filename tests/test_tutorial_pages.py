"""What tutorials describe, on the pages: the numbers that stand there are those of the library and of torch."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from in_turn import in_turn
from page_tools import numbers
from streamlit.testing.v1 import AppTest
from visits import opened

from encoder import PRESETS, TextEncoder
from encoder.checkpoint.build import on_meta
from encoder.experiments import PLACES
from encoder.explain.cost import depths, hyperparameters
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.glossary import TERMS

pytestmark = pytest.mark.slow
SENTENCE = "I understand this"


def texts(app: AppTest) -> str:
    return " ".join(one.value for kind in (app.markdown, app.text, app.caption) for one in kind).replace("\\", "")


def lab(name: str, **query: str) -> AppTest:
    return opened("labs", {"sentence": SENTENCE, "model": "base", "lab": name} | query)


def test_dropout_of_nothing_changes_nothing_and_a_tenth_does() -> None:
    assert numbers(lab("Dropout", drop_p="0.0"), "y", "dropped") == pytest.approx(1, abs=1e-4)
    app = lab("Dropout", drop_seed="3")
    assert 0.2 < numbers(app, "y", "dropped").min() < 0.999 and "With p = 0.1, " in texts(app)
    assert not np.array_equal(numbers(app, "y", "dropped"), numbers(lab("Dropout", drop_seed="4"), "y", "dropped"))


def test_a_sentence_without_added_tokens_has_a_row_for_each_word() -> None:
    app = lab("Without [CLS] and [SEP]")
    assert "Without [CLS] and [SEP] the output is (3, 512)" in texts(app) and "with them it is (5, 512)" in texts(app)
    assert numbers(app, "y", "bare").shape == (3,)


def test_a_batch_of_two_has_its_shapes_and_its_padding(base: TextEncoder) -> None:
    long = "The animal didn't cross the street."
    query = {"sentence": long, "pad_short": SENTENCE, "layer": "2", "head": "3"}
    app = lab("Padding", **query)
    n = len(base.trace(long).tokens)
    assert (
        f"The batch goes in as (2, {n}) ids and comes out as (2, {n}, 512): {n - 5} rows of the short one are [PAD]"
        in texts(app)
    )
    masked = numbers(app, key="pad_weights")
    assert f"with the mask: {n * (n - 5)} of {n * n} scores are hidden" in texts(app)
    assert masked[:, 5:].sum() == 0 and "put 0 % of their weight on [PAD]" in texts(app)
    alone = base.trace(SENTENCE)["layers.2.attention.weights"][3].numpy()
    np.testing.assert_allclose(masked[:5, :5], alone, atol=1e-5)
    assert (
        np.isnan(numbers(app, key="pad_masked")[:, 5:]).all() or np.isinf(numbers(app, key="pad_masked")[:, 5:]).all()
    )
    forgotten = numbers(lab("Padding", **query, pad_mask="mask forgotten"), key="pad_weights")
    assert forgotten[:5, 5:].sum() > 0 and forgotten.sum(-1) == pytest.approx(1, abs=1e-5)


def test_scores_of_your_own_become_weights() -> None:
    app = lab("Softmax", own_scores="3, 1, 1")
    expected = torch.tensor([3.0, 1.0, 1.0]).softmax(0).numpy()
    np.testing.assert_allclose(numbers(app, "y", "own_weights"), expected, atol=1e-6)
    assert "softmax(3, 1, 1) = 79 %, 11 %, 11 %" in texts(app)
    assert numbers(app, key="own_slopes").sum() == pytest.approx(0, abs=1e-6)
    for nonsense in ("a, b", ",", "1e9", "nan"):
        app = lab("Softmax", own_scores=nonsense)
        assert "Type 1 to 24 numbers" in texts(app) and not app.exception


def test_queries_made_head_by_head_are_those_of_the_one_matrix() -> None:
    query = {"sentence": SENTENCE, "model": "base", "layer": "1", "step": "attention.q", "one_matrix": "1"}
    app = opened("attention", query)
    assert any(one.label == "One matrix of 512 × 512 is 8 matrices of 512 × 64" for one in app.expander)
    assert "they agree: queries to" in texts(app)


def test_model_and_cost_says_the_shape_and_three_depths(base: TextEncoder) -> None:
    app = opened("your_model", {"models_part": "Cost", "cost_shape": "1", "sentence": SENTENCE, "model": "base"})
    table = app.dataframe[0].value
    assert dict(zip(table["name"], table["value"], strict=True))["d_ff"] == "2,048 = 4 d_model"
    total = sum(tensor.numel() for tensor in base.model.parameters())
    assert f"6 layers {total / 1e6:.4g} M" in texts(app)


def test_the_gradient_shrinks_without_the_division() -> None:
    app = lab("Why √d_head")
    slopes = numbers(app, "y", "slopes")
    assert slopes.max() / slopes.min() < 1.5, "the first line is that with the division"
    assert "At d_head = 1024 the gradient of softmax is" in texts(app)


@in_turn("name", PRESETS)
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
