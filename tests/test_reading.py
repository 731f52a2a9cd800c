"""What a run is read as, word by word: one table of cases that the browser's code is held to as well."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encoder import Edit, TextEncoder
from encoder.packet.format import Stored, unpack
from encoder.packet.reading import Reading
from encoder.packet.run import level_1
from encoder.packet.say import parts, patterns, say
from encoder.packet.shipped import shipped

TABLE = json.loads(Path(__file__).with_name("reading_cases.json").read_text(encoding="utf-8"))


def reading_of(name: str) -> Reading:
    """A run of the table; null is no number."""
    data = shipped(name)
    if data is not None:
        return Reading(*unpack(data)[1:])
    run = TABLE["runs"][name]
    return Reading(run["about"], {"weights": Stored(np.array(run["weights"], np.float64).astype("<f4"))})


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: f"{case['run'][:24]} {case['given']}")
def test_a_run_chooses_and_claims_what_the_table_says(case: dict[str, Any]) -> None:
    run = reading_of(case["run"])
    choice = run.choice(**case["given"])
    if "claim" not in case:
        assert choice is None and not run.words
        return
    assert choice is not None
    assert (choice.word.position, *choice.place) == (case["word"], case["layer"], case["head"])
    (asked, of_asked), (claimed, of_claimed) = run.question(choice.word), run.claim(choice.place, choice.word)
    assert (say(asked, **of_asked), say(claimed, **of_claimed)) == (case["question"], case["claim"])


def test_the_table_has_every_kind_of_claim() -> None:
    claims = " ".join(case.get("claim", "") for case in TABLE["cases"])
    assert all(
        words in claims for words in ("looks at", "looks past", "stays at", "gives most to", "the first gap", "“")
    )


def test_all_that_a_word_gives_away_is_one(small: TextEncoder) -> None:
    trace = small.trace("The quokka didn't hide, unbelievably.")
    run = Reading(*unpack(level_1(small, trace))[1:])
    assert any(word.count > 1 for word in run.words)
    for word in run.words:
        look = run.look((1, 2), word)
        rows = slice(word.position, word.position + word.count)
        mine = trace.array("layers.1.attention.weights")[2, rows].mean(0)
        for share, to in zip(look.shares, run.words, strict=True):
            assert share == pytest.approx(mine[to.position : to.position + to.count].sum(), abs=1e-4)
        assert look.shares.sum() + look.rest == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("sentence", ["The dogs near the house [MASK] loudly.", "My dog sleeps."])
def test_a_run_begins_with_the_head_without_which_most_is_lost_or_moved(small: TextEncoder, sentence: str) -> None:
    trace = small.trace(sentence)
    run = Reading(*unpack(level_1(small, trace))[1:])
    choice = run.choice()
    assert choice is not None
    word, change = choice.word, dict[tuple[int, int], float]()
    for layer, head in np.ndindex(small.config.n_layers, small.config.n_heads):
        again = small.trace(sentence, edits=(Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,)),))
        if word.gap:
            first = int(trace["mlm.probabilities"][word.position].argmax())
            change[layer, head] = float(
                again["mlm.probabilities"][word.position, first] - trace["mlm.probabilities"][word.position, first]
            )
        else:
            change[layer, head] = -float((again["output"] - trace["output"])[word.position].norm())
    assert choice.place == min(change, key=lambda place: change[place])
    for other in run.words:
        found = run.choice(word=other.position)
        assert found is not None and found.place == choice.place, "the head does not follow the word"


def test_the_parts_of_a_sentence_are_its_text_and_its_arguments_have_names() -> None:
    for key, pattern in patterns().items():
        args = {name: {"word": "{x}", "int": 3}.get(kind, 0.5) for name, kind in pattern["args"].items()}
        assert "".join(text for text, _ in parts(key, **args)) == say(key, **args)
        assert {name for _, name in parts(key, **args) if name} == set(args)
