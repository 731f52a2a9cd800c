"""A measure of heads is one row of a table: the survey, the page, its tables and the moments of training read it."""

import re

import pytest
import torch
from in_turn import in_turn
from more_tools import asks, numbers, pictures, section, tables, words
from torch import Tensor

from encoder import TextEncoder
from encoder.metrics import HEAD_MEASURES, HeadMeasure, survey

pytestmark = pytest.mark.slow

SENTENCE, OTHER = "A measure that nobody had before.", "And a second sentence, longer than the first one."


def on_the_last(weights: Tensor, tokens: list[str]) -> Tensor:
    """The mean weight on the last token."""
    return weights[..., -1].mean(-1)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> HeadMeasure:
    """One more row."""
    one = HeadMeasure("On the end", "share", "Share of the weight on the last token.", on_the_last)
    monkeypatch.setitem(HEAD_MEASURES, "end", one)
    return one


def expected(encoder: TextEncoder, *sentences: str) -> Tensor:
    """The measure by hand: the mean over the rows of all sentences, for each layer and head."""
    layers = []
    for i in range(encoder.config.n_layers):
        weights = [encoder.trace(one)[f"layers.{i}.attention.weights"] for one in sentences]
        layers.append(torch.cat([w[:, :, -1] for w in weights], 1).mean(1))
    return torch.stack(layers)


def test_a_new_row_is_surveyed(added: HeadMeasure, small: TextEncoder) -> None:
    found = survey(small, [SENTENCE, OTHER]).measures["end"]
    torch.testing.assert_close(found, expected(small, SENTENCE, OTHER), rtol=1e-5, atol=1e-6)


def test_a_new_row_is_on_the_page_and_in_its_table(added: HeadMeasure, small: TextEncoder) -> None:
    ours = expected(small, SENTENCE)
    here = {"model": "small", "sentence": SENTENCE, "layer": "1"}
    shown = section("heads", "measures", measure="end", **here)
    drawn = numbers(pictures(shown)["measured"])
    torch.testing.assert_close(torch.from_numpy(drawn.copy()), ours, rtol=1e-5, atol=1e-6, check_dtype=False)
    assert "On the end" in asks(shown)["measure"]["texts"] and "Share of the weight on the last token" in words(shown)
    assert re.search(r"On the end is largest in head \d of layer \d: [\d.]+\.", words(shown))
    table = tables(section("heads", "measures", **here))["roles"]
    assert table["On the end"] == pytest.approx(ours.flatten().tolist(), abs=1e-6)


@in_turn("name", HEAD_MEASURES)
def test_every_row_gives_a_number_within_its_scale_for_every_head(name: str, small: TextEncoder) -> None:
    one, trace = HEAD_MEASURES[name], small.trace(OTHER)
    values = one.of(trace["layers.0.attention.weights"], trace.tokens)
    assert values.shape == (small.config.n_heads,)
    assert 0 < one.rows(trace.tokens) <= len(trace.tokens)
    assert one.title and one.meaning.endswith(".")
    if one.kind != "signed":
        assert float(values.min()) >= 0
    if one.kind == "share":
        assert float(values.max()) <= 1 + 1e-6
