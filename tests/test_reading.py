"""What a run is read as, word by word: one table of cases that the browser's code is held to as well."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encoder import TextEncoder
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
    assert all(words in claims for words in ("looks at", "looks past", "stays at", "rests on", "the gap", "____"))


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


def test_evidence_is_of_the_head_and_what_is_known_here_comes_alone() -> None:
    run = reading_of("The keys to the cabinet [MASK] on the table.")
    asked = run.choice()
    assert asked is not None
    here = [entry["key"] for entry in run.about["evidence"] if entry["here"]]
    assert [key for key, _ in run.evidence(asked.place)] == here and here
    without = next(
        (0, head) for head in range(8) if all((e["layer"], e["head"]) != (0, head) for e in run.about["evidence"])
    )
    assert run.evidence(without) == [("exam_none", {"layer": 0, "head": without[1]})]
    assert reading_of("pieces").evidence((0, 0)) == []


def test_the_parts_of_a_sentence_are_its_text_and_its_arguments_have_names() -> None:
    for key, pattern in patterns().items():
        args = {name: {"word": "{x}", "int": 3}.get(kind, 0.5) for name, kind in pattern["args"].items()}
        assert "".join(text for text, _ in parts(key, **args)) == say(key, **args)
        assert {name for _, name in parts(key, **args) if name} == set(args)
