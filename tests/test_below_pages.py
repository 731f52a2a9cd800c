"""What the server draws below the browser's pictures: choices reach it, and its numbers are the run's own."""

import json
import re
from typing import Any

import numpy as np
import pytest
from page_tools import ask, asked_step, healthy, numbers, open_app, type_sentence, words
from streamlit.testing.v1 import AppTest

from encoder import Edit, TextEncoder
from encoder.edits.edit_text import edits_to_text
from encoder.metrics import parked
from encoder.pictures.view import EXAMPLE

pytestmark = pytest.mark.slow

A, B = "The cat chased the mouse.", "It purred."
KEYS = "Keys on the table belong to Sara."
CAPITAL = "The capital of France is [MASK]."
HEAD_OFF = (Edit("layers.4.attention.heads", "zero", heads=(1,)),)


def edits(app: AppTest) -> str:
    return edits_to_text(app.session_state["session"].view.edits)


def look(step: str, **query: Any) -> str:
    """What is said of a step to look at."""
    return str(asked_step(step, **query)[0]["look"])


def layout(app: AppTest, key: str) -> dict:
    chart = next(chart for chart in app.get("plotly_chart") if f"-{key}" in chart.proto.id)
    return json.loads(chart.proto.spec)["layout"]


def test_start_shows_a_pair_one_way_or_the_other_and_tells_its_sentences_apart(base: TextEncoder) -> None:
    app, trace = open_app("start", sentence=A, second=B, several="1"), base.trace((A, B))
    first, weights = np.array(trace.tokenization.segments) == 0, trace["layers.4.attention.weights"][1].numpy()
    start = trace.tokenization.tokens.index("it")
    axes = layout(app, "together_matrix")
    for axis in ("xaxis", "yaxis"):
        colours = [re.search(r"color:(#\w+)", text)[1] for text in axes[axis]["ticktext"]]
        assert len(set(colours[:start])) == len(set(colours[start:])) == 1 and colours[0] != colours[-1]
    rules = sorted((shape["x0"], shape["x1"], shape["y0"], shape["y1"]) for shape in axes["shapes"])
    assert rules == sorted([(start - 0.5, start - 0.5, 0, 1), (0, 1, start - 0.5, start - 0.5)])
    for way, kept in (("all", True), ("B->A", np.outer(~first, first)), ("A->B", np.outer(first, ~first))):
        healthy(app.pills(key="pair_part").set_value(way).run())
        np.testing.assert_array_equal(numbers(app, key="together_matrix"), np.where(kept, weights, 0))
    share = re.search(r"A → B is ([\d.]+) % of where A looks", words(app))
    assert float(share[1]) == pytest.approx(100 * weights[first][:, ~first].sum() / first.sum(), rel=0.05)


def test_start_shows_chosen_heads_tokens_and_words_together(base: TextEncoder) -> None:
    app, weights = (
        open_app("start", several="1", some_heads="1,5"),
        base.trace(EXAMPLE)["layers.4.attention.weights"],
    )
    assert "pair_part" not in [pills.key for pills in app.pills] and "shapes" not in layout(app, "together_matrix")
    np.testing.assert_allclose(numbers(app, key="together_matrix"), weights[[1, 5]].mean(0), atol=1e-7)
    np.testing.assert_allclose(numbers(app, "y", "summed"), weights[[1, 5]].mean((0, 1)), atol=1e-6)
    healthy(app.pills(key="some_tokens").set_value([8, 2]).run())
    assert "“it” (8)" in words(app) and "Of the 2 chosen tokens" in words(app)
    np.testing.assert_allclose(numbers(app, "y", "summed"), weights[[1, 5]].mean(0)[[2, 8]].mean(0), atol=1e-6)
    healthy(app.pills(key="together").set_value("Largest").run())
    np.testing.assert_array_equal(numbers(app, key="together_matrix"), weights[[1, 5]].max(0).values)
    healthy(app.pills(key="together").set_value("Mean").run())
    type_sentence(app, "The purring cat sat.")
    pieces = base.trace("The purring cat sat.").tokens
    healthy(app.toggle(key="merge_words").set_value(True).run())
    merged = numbers(app, key="together_matrix")
    assert any(piece.startswith("##") for piece in pieces) and merged.shape[0] == merged.shape[1] < len(pieces)
    np.testing.assert_allclose(merged.sum(1), 1, atol=1e-6)


def test_start_says_what_is_looked_at_most_what_tokens_are_and_what_is_guessed(base: TextEncoder) -> None:
    app = open_app("start", several="1", layer="4", head="1")
    for sentence in (EXAMPLE, "My dog chased the cat because it was hungry."):
        trace = base.trace(type_sentence(app, sentence).session_state["session"].view.sentence)
        weights, typed = trace["layers.4.attention.weights"][1], range(1, len(trace.tokens) - 1)
        i, j = max(((i, j) for i in typed for j in typed), key=lambda pair: float(weights[pair]))
        found = re.findall(r"“([^”]+)” \((\d+)\) puts [\d.]+ % on “([^”]+)” \((\d+)\), the largest weight", words(app))
        assert found == [(trace.tokens[i], str(i), trace.tokens[j], str(j))] * len(found) != []
    ask(app, sentence=CAPITAL, ask_why="1")
    assert "[CLS] and [SEP] are added for the model." in words(app) and "[UNK]" not in words(app)
    assert "paris" in words(app), "the guess at the mask"
    (fold,) = [fold for fold in app.expander if "Which words made the guess at" in fold.label]
    assert "MASK" in fold.label and "6" in fold.label
    assert "[UNK] stands for what its vocabulary lacks. `##` marks" in words(type_sentence(app, "Unfathomable 😀"))


def test_what_is_said_of_a_step_is_true_of_this_run(base: TextEncoder) -> None:
    line = parked(base.trace(EXAMPLE), 4, 1).sentence
    assert line and line in look("layers.4.attention.weights", index=[1])
    assert "parked" not in look("layers.1.attention.weights", index=[7])
    twice = {"sentence": "The cat saw the other cat."}
    for change, holds in (("", True), ("embedding.positions:zero", False), ("embedding.positions:shuffle:v=7", False)):
        text = look("output", **twice, **({"edits": change} if change else {}))
        assert "Two copies of one word in a sentence have different rows here" in text
        assert ("Said of the model as it is" not in text) == holds, change
    text = look("embedding.output", edits="layers.2.attention.heads:zero:h=3")
    assert "differ by nothing but their positions" in text and "Said of the model" not in text
