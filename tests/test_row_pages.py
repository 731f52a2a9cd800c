"""Sections of pages that show one number each of this run: what is drawn and said is what was recorded."""

import numpy as np
import pytest
from page_tools import go, numbers, open_app
from visits import opened

from encoder import TextEncoder

pytestmark = pytest.mark.slow
KEYS = "Keys on the table belong to Sara."


def texts(app) -> str:
    return " ".join(one.value for kind in (app.markdown, app.text, app.caption) for one in kind).replace("\\", "")


def test_what_goes_into_a_norm_and_comes_out_is_said_with_its_deviation(base: TextEncoder) -> None:
    app = go(open_app(sentence=KEYS, layer="3", step="add_norm_1.output"), "add_norm")
    trace = base.trace(KEYS)
    before, after = (float(trace[f"layers.3.add_norm_1.{name}"].std()) for name in ("sum", "output"))
    assert f"have a standard deviation of {before:.3g}; those that come out have {after:.3g}" in texts(app)
    assert numbers(app, "y", "norm_sides").sum() == pytest.approx(1, abs=1e-5)


def test_both_orders_of_the_norms_start_alike_and_the_models_own_is_said(base: TextEncoder) -> None:
    app = open_app("labs", sentence=KEYS, lab="Post-norm and pre-norm")
    assert numbers(app, "y", "order_alike")[0] == pytest.approx(1, abs=1e-5)
    length = float(base.trace(KEYS)["layers.5.output"].norm(dim=-1).mean())
    assert numbers(app, "y", "order_length")[-1] == pytest.approx(length, rel=1e-5)
    assert "This model was made as post-norm" in texts(app)


@pytest.mark.parametrize("step", ["attention.heads", "attention.concat", "attention.output"])
def test_what_each_head_adds_is_drawn_where_heads_are_brought_together(base: TextEncoder, step: str) -> None:
    app = opened("attention", {"sentence": KEYS, "model": "base", "layer": "2", "step": step})
    assert np.allclose(numbers(app, key="head_shares").sum(0), 1, atol=1e-5)
    name, attention = "layers.2.attention.heads", base.model.layers[2].attention
    one = base.trace(KEYS)[name][5] @ attention.w_o.weight[:, 5 * 64 : 6 * 64].T
    np.testing.assert_allclose(numbers(app, key="head_lengths")[5], one.norm(dim=-1).numpy(), rtol=1e-4)


def test_the_nearest_words_of_a_token_start_with_itself() -> None:
    app = open_app("stack", sentence=KEYS, lens_token="4", words_open="1")
    assert "Nearest to “table” (4) is “table” at the input" in texts(app)
    assert numbers(app, key="nearest_by_layer").shape == (7, 5)


def test_shares_of_all_layers_are_four_pictures_that_sum_to_one() -> None:
    app = open_app("stack", sentence=KEYS, sources_open="1")
    cells = numbers(app, key="layer_shares")
    cells = cells[np.isfinite(cells)]
    assert cells.size == 4 * 10 * 6 and cells.sum() == pytest.approx(10 * 6, rel=1e-4)


def test_a_pair_of_dimensions_is_drawn_and_two_words_change_places(base: TextEncoder) -> None:
    query = {"sentence": KEYS, "model": "base", "lab": "Positions", "position_pair": "1"}
    app = opened("labs", query | {"swap_one": "1", "swap_other": "4"})
    assert "Dimensions 2 and 3 come round after 6.51 positions" in texts(app)
    np.testing.assert_array_equal(
        numbers(app, "y", "position_waves"), base.model.embedding.positions.weight[:128, 2].numpy()
    )
    assert any(one.value.startswith("Exchanged: [CLS] table on the keys") for one in app.text)
    assert numbers(app, "y", "swapped").max() < 1e-4, "the first series is that without positions"
    learned = "built:n_layers=1,positions=learned,d_model=24,n_heads=3"
    assert "do not turn evenly" in texts(opened("labs", query | {"model": learned}))


def test_summed_rows_are_those_of_the_chosen_tokens(base: TextEncoder) -> None:
    query = {"sentence": KEYS, "model": "base", "layer": "2", "head": "3", "some_tokens": "1,4", "several": "1"}
    app = opened("sentence", query)
    weights = base.trace(KEYS)["layers.2.attention.weights"][3]
    np.testing.assert_allclose(numbers(app, "y", "summed"), weights[[1, 4]].mean(0).numpy(), atol=1e-6)
    assert "Of the 2 chosen tokens" in texts(app)
    del query["some_tokens"]
    every = opened("sentence", query | {"some_heads": "3,4"})
    both = base.trace(KEYS)["layers.2.attention.weights"][[3, 4]].mean(0)
    np.testing.assert_allclose(numbers(every, "y", "summed"), both.mean(0).numpy(), atol=1e-6)
