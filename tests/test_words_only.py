"""Words only: what is drawn is what was recorded, and the share left out is said."""

import numpy as np
import pytest

from encoder import TextEncoder, Trace
from encoder.metrics import tokens_drawn
from encoder.pictures.figures.facts import drawn_fact
from encoder.support.selection import selection


def test_what_is_left_out_is_said_with_its_share(sara: Trace) -> None:
    weights = np.stack([sara[f"layers.{i}.attention.weights"].numpy() for i in range(6)]).astype(np.float64)
    chosen = tokens_drawn(sara, "words")
    assert chosen.left_out == ("[CLS]", "[SEP]") and chosen.at == tuple(range(1, len(sara.tokens) - 1))
    share = 1 - weights[:, :, 1:-1, 1:-1].sum(-1).mean()
    said = chosen.sentence(weights)
    assert said.endswith("of the weight of the words drawn rests on [CLS] and [SEP], not drawn.")
    assert float(said.split(" %")[0]) == pytest.approx(100 * share, abs=0.5)
    np.testing.assert_array_equal(chosen.cut(weights), weights[..., 1:-1, 1:-1])  # as recorded, not renormalised


def test_a_fact_is_of_what_is_drawn_at_its_own_position(base: TextEncoder) -> None:
    trace = base.trace("The animal didn't cross the street because it was too wide.")
    weights = trace["layers.4.attention.weights"][1].numpy()
    said = drawn_fact(tokens_drawn(trace, "letters"), weights, "share")
    words = [i for i, token in enumerate(trace.tokens) if token not in ("[CLS]", "[SEP]", ".", "'")]
    i, j = max(((i, j) for i in words for j in words), key=lambda at: weights[at])
    assert said.startswith(f"“{trace.tokens[i]}” ({i}) puts ") and f"on “{trace.tokens[j]}” ({j})" in said
    assert "“.”" in said and "not drawn" in said


def test_with_all_tokens_nothing_is_said_and_nothing_is_left_where_all_would_be(sara: Trace) -> None:
    assert tokens_drawn(sara, "all").whole and tokens_drawn(sara, "all").sentence() == ""
    assert selection(["[CLS]", ".", "[SEP]"], ["special", "mark", "special"], "letters").whole


def test_where_weights_are_no_numbers_only_the_names_are_said(sara: Trace) -> None:
    weights = sara["layers.0.attention.weights"].numpy().copy()
    weights[0, 2] = np.nan
    assert tokens_drawn(sara, "words").sentence(weights) == "Not drawn: [CLS] and [SEP]."
    assert "nan" not in drawn_fact(tokens_drawn(sara, "words"), weights[0], "share")
