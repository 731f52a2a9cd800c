"""Constructed sentences: what stands where, which rule finds the subject, and what a head does for agreement."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from planted import planted
from tiny import tiny_tokenizer

from encoder import Edit, TextEncoder
from encoder.exam import ExamError
from encoder.exam.constructed_sentences import (
    ALL,
    FRAMES,
    NOUNS,
    PREPOSITIONS,
    ConstructedSentence,
    agreeing_by_rule,
    agreement,
    constructed_sentences,
    subjects,
)
from encoder.exam.simple_rules import RULES, right_by_rule

KEYS = ["The keys to the cabinet [MASK] on the table .", "The key to the cabinet [MASK] on the table ."]
TAGS = ("DET", "NOUN", "ADP", "DET", "NOUN", "", "ADP", "DET", "NOUN", "PUNCT")
SENTENCES = [ConstructedSentence("", tuple(text.split()), TAGS, 5, 1, (1 - i, 0), 0) for i, text in enumerate(KEYS)]


def nouns_before(one: ConstructedSentence) -> list[int]:
    """Where nouns stand before the gap, by their spelling."""
    forms = {form for noun in NOUNS for form in noun.split()}
    return [i for i, word in enumerate(one.words[: one.gap]) if word in forms]


def test_made_sentences_hold_what_they_say() -> None:
    made = constructed_sentences("[MASK]", 3)
    forms = [noun.split() for noun in NOUNS]
    tags = dict[str, set[str]]()
    for one in made:
        for word, tag in zip(one.words, one.tags, strict=True):
            tags.setdefault(word.lower(), set()).add(tag)
    assert all(len(found) == 1 for found in tags.values()), "a word is of one kind in all frames"
    assert len(made) == 3 * 4 * len(FRAMES) and len({one.words for one in made}) == len(made)
    for one in made:
        assert one.words[one.gap] == "[MASK]" and one.words.count("[MASK]") == 1
        assert one.words[one.subject] in {pair[one.numbers[0]] for pair in forms}
        nouns = nouns_before(one)
        assert one.subject in nouns and nouns == [i for i, tag in enumerate(one.tags[: one.gap]) if tag == "NOUN"]
        assert len(one.tags) == len(one.words) and [i for i, tag in enumerate(one.tags) if not tag] == [one.gap]
        assert not any(len(word) == 1 and word in "ABCPQJKE_" for word in one.words)
    assert made == constructed_sentences("[MASK]", 3) and made != constructed_sentences("[MASK]", 3, seed=1)


def test_the_rules_beside_the_heads_are_those_that_people_think_of(small: TextEncoder) -> None:
    """Told again by hand: the nouns of a sentence by their spelling, prepositions by theirs."""
    rows = {row.frame: row for row in subjects(small, 6)}
    assert set(rows) == {*FRAMES, ALL} and rows[ALL].n == sum(rows[name].n for name in FRAMES) == 3 * 4 * len(FRAMES)
    assert [rows[name].distance for name in ("plain", "next to the gap", "after a sentence")] == [-4, -1, -4]
    assert all(rows[name].rule_accuracy == 1.0 and not rows[name].passed for name in FRAMES)
    made = constructed_sentences("[MASK]")
    counts = Counter[str]()
    for one in made:
        nouns = nouns_before(one)
        behind = [at for at in nouns if one.words[at + 1].lower() in PREPOSITIONS]
        for name, answer in {
            "the nearest noun before": nouns[-1],
            "the first noun from the start": nouns[0],
            "the second noun before": nouns[-2],
            "the first noun from the start that a preposition follows": behind[0],
        }.items():
            counts[name] += answer == one.subject
    assert [round(100 * count / len(made), 1) for count in counts.values()] == [14.3, 42.9, 71.4, 85.7]
    right = right_by_rule([one.asked(ALL) for one in made], [ALL])[ALL]
    by_name = {str(rule): count for rule, count in zip(RULES, right, strict=True)}
    assert {name: by_name[name] for name in counts} == counts
    assert by_name[rows[ALL].rule] == len(made) and rows[ALL].rule_accuracy == 1.0 and not rows[ALL].passed


def test_which_rule_agrees_is_told_by_the_number_of_its_noun() -> None:
    made, many = constructed_sentences("[MASK]", 2), {noun.split()[1] for noun in NOUNS}
    agreed = agreeing_by_rule(made)
    for name, at in (("the nearest noun before", -1), ("the second noun before", -2)):
        right = sum((one.words[nouns_before(one)[at]] in many) == (one.numbers[0] == 1) for one in made)
        assert agreed[name] == right
    assert agreed["the nearest verb before"] == 0, "a rule that finds no noun has no number to go by"


def test_the_lead_falls_by_what_one_switched_off_head_takes(small: TextEncoder) -> None:
    """Two whole runs, with the head at zero and without, against every row of that head."""
    rows = agreement(small, SENTENCES)
    assert len(rows) == 2 * 16 and [row.numbers for row in rows] == ["many, one"] * 16 + ["one, one"] * 16
    assert all(a.fall >= b.fall for a, b in itertools.pairwise(rows[:16]))
    right, wrong = small.tokenizer.token_to_id("are"), small.tokenizer.token_to_id("is")
    for row in rows[:3]:
        edit = Edit(f"layers.{row.layer}.attention.heads", "zero", heads=(row.head,))
        leads = []
        for edits in ((), (edit,)):
            trace = small.trace(KEYS[0], edits=edits)
            shares = trace["mlm.logits"][trace.tokens.index("[MASK]")].double().log_softmax(-1)
            leads.append(float(shares[right] - shares[wrong]))
        assert row.lead == pytest.approx(leads[0], abs=1e-4) and row.lead_without == pytest.approx(leads[1], abs=1e-4)
        assert row.fall == pytest.approx(leads[0] - leads[1], abs=2e-4) and row.right == (leads[0] > 0)


def test_two_heads_of_base_make_it_agree_with_the_keys(base: TextEncoder) -> None:
    """Figures that were measured before this code was written, by other code."""
    found = {(row.numbers, row.layer, row.head): row.fall for row in agreement(base, SENTENCES)}
    known = {("many, one", 5, 6): 4.12, ("many, one", 4, 1): 4.09, ("one, one", 4, 1): 2.13, ("one, one", 5, 6): 1.55}
    for place, fall in known.items():
        assert found[place] == pytest.approx(fall, abs=0.02)
    for numbers in ("many, one", "one, one"):
        ranked = sorted((fall, place[1:]) for place, fall in found.items() if place[0] == numbers)
        assert {place for _, place in ranked[-2:]} == {(5, 6), (4, 1)}


def test_a_model_without_a_head_for_words_is_refused() -> None:
    encoder = planted(tiny_tokenizer(), [("w1", "w2")])
    with pytest.raises(ExamError, match="no head that guesses words"):
        agreement(encoder)
    maskless = TextEncoder(encoder.model, encoder.tokenizer, encoder.source, replace(encoder.special, mask=None))
    with pytest.raises(ExamError, match="no mask"):
        subjects(maskless, 2)
