"""What stands below Start: several heads together, the tokens, and which words made the guess, as the run has them."""

import re
from typing import Any

import numpy as np
import pytest
from more_tools import asks, numbers, pictures, section, tables, words
from page_tools import asked_step

from encoder import TextEncoder
from encoder.metrics import parked
from encoder.pictures.view import EXAMPLE

pytestmark = pytest.mark.slow

A, B = "The cat chased the mouse.", "It purred."
CAPITAL = "The capital of France is [MASK]."
HERE = {"layer": "4", "head": "1"}


def look(step: str, **query: Any) -> str:
    """What is said of a step to look at."""
    return str(asked_step(step, **query)[0]["look"])


def several(**query: str) -> list[dict[str, Any]]:
    """The section of several heads, of one layer and head."""
    return section("start", "several", **{**HERE, **query})


def test_a_pair_is_shown_one_way_or_the_other_and_its_sentences_are_told_apart(base: TextEncoder) -> None:
    shown, trace = several(sentence=A, second=B), base.trace((A, B))
    first, weights = np.array(trace.tokenization.segments) == 0, trace["layers.4.attention.weights"][1].numpy()
    start = trace.tokenization.tokens.index("it")
    axes = pictures(shown)["together_matrix"]["figure"]["layout"]
    for axis in ("xaxis", "yaxis"):
        colours = [re.search(r"color:(#\w+)", text)[1] for text in axes[axis]["ticktext"]]  # type: ignore[index]
        assert len(set(colours[:start])) == len(set(colours[start:])) == 1 and colours[0] != colours[-1]
    rules = sorted((shape["x0"], shape["x1"], shape["y0"], shape["y1"]) for shape in axes["shapes"])
    assert rules == sorted([(start - 0.5, start - 0.5, 0, 1), (0, 1, start - 0.5, start - 0.5)])
    for way, kept in (("all", True), ("B->A", np.outer(~first, first)), ("A->B", np.outer(first, ~first))):
        matrix = pictures(several(sentence=A, second=B, pair_part=way))["together_matrix"]
        np.testing.assert_allclose(numbers(matrix), np.where(kept, weights, 0), atol=1e-7)
    share = re.search(r"A → B is ([\d.]+) % of where A looks", words(several(sentence=A, second=B, pair_part="A->B")))
    assert share and float(share[1]) == pytest.approx(100 * weights[first][:, ~first].sum() / first.sum(), rel=0.05)


def test_chosen_heads_tokens_and_words_are_shown_together(base: TextEncoder) -> None:
    shown, weights = several(some_heads="1,5"), base.trace(EXAMPLE)["layers.4.attention.weights"]
    assert "pair_part" not in asks(shown)
    assert "shapes" not in pictures(shown)["together_matrix"]["figure"]["layout"]
    np.testing.assert_allclose(numbers(pictures(shown)["together_matrix"]), weights[[1, 5]].mean(0), atol=1e-7)
    np.testing.assert_allclose(numbers(pictures(shown)["summed"], "y"), weights[[1, 5]].mean((0, 1)), atol=1e-6)
    some = several(some_heads="1,5", some_tokens="8,2")
    assert "“it” (8)" in words(some) and "Of the 2 chosen tokens" in words(some) and "Gives in all" in words(some)
    gets = numbers(pictures(some)["summed"], "y")
    np.testing.assert_allclose(gets, weights[[1, 5]].mean(0)[[2, 8]].mean(0), atol=1e-6)
    largest = several(some_heads="1,5", together="Largest")
    np.testing.assert_allclose(numbers(pictures(largest)["together_matrix"]), weights[[1, 5]].max(0).values, atol=1e-7)
    assert "no longer sum to 1" in words(largest)


def test_pieces_of_a_word_are_shown_as_one() -> None:
    text = "The purring cat sat."
    pieces = tables(section("start", "tokens", sentence=text))["tokens"]["token"]
    merged = several(sentence=text, merge_words="1")
    matrix = numbers(pictures(merged)["together_matrix"])
    assert any(piece.startswith("##") for piece in pieces) and matrix.shape[0] == matrix.shape[1] < len(pieces)
    np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-6)
    assert "The pieces of a word are one" in words(merged) and "some_words" in asks(merged)


def test_it_says_what_is_looked_at_most_what_tokens_are_and_what_is_guessed(base: TextEncoder) -> None:
    for sentence in (EXAMPLE, "My dog chased the cat because it was hungry."):
        trace = base.trace(sentence)
        weights, typed = trace["layers.4.attention.weights"][1], range(1, len(trace.tokens) - 1)
        i, j = max(((i, j) for i in typed for j in typed), key=lambda pair: float(weights[pair]))
        pattern = r"“([^”]+)” \((\d+)\) puts [\d.]+ % on “([^”]+)” \((\d+)\), the largest weight"
        about = re.findall(pattern, words(several(sentence=sentence)))
        assert about == [(trace.tokens[i], str(i), trace.tokens[j], str(j))] * len(about) != []
    capital = section("start", "tokens", sentence=CAPITAL)
    assert "[CLS] and [SEP] are added for the model." in words(capital) and "[UNK]" not in words(capital)
    assert "At [MASK] (position 6) the model would say: “paris”" in words(capital)
    assert tables(capital)["tokens"]["id"] == [str(number) for number in base.tokenize(CAPITAL).ids]
    assert asks(section("start", "words", sentence=CAPITAL))["why_word"]["chosen"] == "paris"
    odd = words(section("start", "tokens", sentence="Unfathomable 😀"))
    assert "[UNK] stands for what its vocabulary lacks. ## marks" in odd


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
