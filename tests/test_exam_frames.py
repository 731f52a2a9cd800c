"""Made sentences: what stands where, which rule finds the subject, and what a head does for agreement."""

import itertools
from dataclasses import replace

import pytest
from planted import planted
from tiny import tiny_tokenizer

from encoder import Edit, TextEncoder
from encoder.exam import ExamError
from encoder.exam.frames import ALL, FRAMES, NOUNS, MadeSentence, agreement, made_sentences, subjects

KEYS = ["The keys to the cabinet [MASK] on the table .", "The key to the cabinet [MASK] on the table ."]
SENTENCES = [MadeSentence("", tuple(text.split()), 5, 1, (1, 4), (1 - i, 0), 0) for i, text in enumerate(KEYS)]


def test_made_sentences_hold_what_they_say() -> None:
    made = made_sentences("[MASK]", 3)
    forms = [noun.split() for noun in NOUNS]
    assert len(made) == 3 * 4 * len(FRAMES) and len({one.words for one in made}) == len(made)
    for one in made:
        assert one.words[one.gap] == "[MASK]" and one.words.count("[MASK]") == 1
        assert one.words[one.subject] in {pair[one.numbers[0]] for pair in forms}
        nouns = [i for i, word in enumerate(one.words[: one.gap]) if any(word in pair for pair in forms)]
        assert list(one.nouns) == nouns and one.subject in nouns
        assert not any(len(word) == 1 and word in "ABCPQJKE_" for word in one.words)
    assert made == made_sentences("[MASK]", 3) and made != made_sentences("[MASK]", 3, seed=1)


def test_place_and_distance_of_the_subject_vary() -> None:
    """No rule that knows one place or one distance gets far, and in some frames no noun rule does either."""
    first = {one.frame: one for one in made_sentences("[MASK]", 2)}.values()
    assert len({one.gap - one.subject for one in first}) >= 4 and len({one.subject for one in first}) >= 4
    assert {one.subject == one.nouns[0] for one in first} == {one.subject == one.nouns[-1] for one in first}
    assert sum(one.subject not in (one.nouns[0], one.nouns[-1]) for one in first) >= 3


def test_the_rules_beside_the_heads_are_those_of_the_frames(small: TextEncoder) -> None:
    rows = {row.frame: row for row in subjects(small, 6)}
    assert set(rows) == {*FRAMES, ALL} and rows[ALL].n == sum(rows[name].n for name in FRAMES) == 3 * 4 * len(FRAMES)
    plain, near, after = rows["plain"], rows["next to the gap"], rows["after a sentence"]
    assert (plain.nearest_noun, plain.first_noun, plain.distance, plain.position) == (0, 1, -4, 2)
    assert (near.nearest_noun, near.first_noun, near.distance) == (1, 0, -1)
    assert (after.nearest_noun, after.first_noun, after.distance, after.position) == (0, 0, -4, 7)
    best = max(rows[ALL].nearest_noun, rows[ALL].first_noun, rows[ALL].distance_accuracy, rows[ALL].position_accuracy)
    assert best < 0.6 and not any(rows[name].licensed for name in FRAMES)
    assert rows[ALL].licensed == (min(rows[ALL].accuracy - 0.1, rows[ALL].corrected_low) >= best)


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
