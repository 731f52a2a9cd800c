"""Simple rules beside the heads: each is a slow loop's, and nobody thinks of a better one by hand."""

from collections import Counter
from collections.abc import Callable, Iterable

import pytest
from shared_models import treebanks

from encoder.exam import bundled_exam
from encoder.exam.links import LinkedSentence, TreeLink, gaps, kinds_of, relations
from encoder.exam.simple_rules import RULES, right_by_rule

NOUN = ("NOUN", "PROPN")
Answer = Callable[[LinkedSentence, int], int | None]


def of(*tags: str) -> Callable[[LinkedSentence, int], bool]:
    return lambda sentence, at: sentence.tags[at] in tags


def phrase_final(sentence: LinkedSentence, at: int) -> bool:
    return sentence.tags[at] in NOUN and sentence.tags[at + 1 : at + 2] not in (("NOUN",), ("PROPN",))


def before(is_it: Callable[[LinkedSentence, int], bool], nth: int = 1) -> Answer:
    def answer(sentence: LinkedSentence, source: int) -> int | None:
        left = nth
        for at in range(source - 1, -1, -1):
            left -= is_it(sentence, at)
            if not left:
                return at
        return None

    return answer


def after(is_it: Callable[[LinkedSentence, int], bool]) -> Answer:
    def answer(sentence: LinkedSentence, source: int) -> int | None:
        return next((at for at in range(source + 1, len(sentence.words)) if is_it(sentence, at)), None)

    return answer


def from_start(is_it: Callable[[LinkedSentence, int], bool], nth: int = 1) -> Answer:
    def answer(sentence: LinkedSentence, source: int) -> int | None:
        found = [at for at in range(len(sentence.words)) if at != source and is_it(sentence, at)]
        return found[nth - 1] if len(found) >= nth else None

    return answer


def either(first: Answer, then: Answer) -> Answer:
    def answer(sentence: LinkedSentence, source: int) -> int | None:
        found = first(sentence, source)
        return then(sentence, source) if found is None else found

    return answer


def own_kind(sentence: LinkedSentence, source: int) -> int | None:
    return next((at for at in range(source - 1, -1, -1) if sentence.tags[at] == sentence.tags[source]), None)


BY_HAND: dict[str, Answer] = {
    "the nearest verb before": before(of("VERB")),
    "the nearest verb before, else after": either(before(of("VERB")), after(of("VERB"))),
    "the nearest verb after, else before": either(after(of("VERB")), before(of("VERB"))),
    "the second noun before": before(of(*NOUN), 2),
    "the third noun or pronoun before": before(of(*NOUN, "PRON"), 3),
    "the nearest noun after": after(of(*NOUN)),
    "the nearest noun after that no noun follows": after(phrase_final),
    "the first verb from the start": from_start(of("VERB")),
    "the second noun from the start": from_start(of(*NOUN), 2),
    "the first word from the start": from_start(lambda sentence, at: True),
    "the first noun from the end": lambda sentence, source: max(
        (at for at, tag in enumerate(sentence.tags) if tag in NOUN and at != source), default=None
    ),
    "the nearest word of its own kind before": own_kind,
    "the nearest noun before that a preposition follows": before(
        lambda sentence, at: sentence.tags[at] in NOUN and sentence.tags[at + 1 : at + 2] == ("ADP",)
    ),
}


def right_by_hand(sentences: Iterable[LinkedSentence], answer: Answer) -> Counter[str]:
    """How often an answer is that of the marks, by the kind of link."""
    links = ((sentence, link) for sentence in sentences for link in sentence.links)
    return Counter(link.kind for sentence, link in links if answer(sentence, link.source) == link.target)


def test_every_rule_told_by_hand_is_right_as_often_as_it_is_counted() -> None:
    bank = treebanks()[0]
    sentences = [*relations(bank)][::9] + [*gaps(bank, "[MASK]")][::3]
    kinds = kinds_of(sentences)
    counted, names = right_by_rule(sentences, kinds), [str(rule) for rule in RULES]
    assert len({*names}) == len(RULES)
    for name, answer in BY_HAND.items():
        right = right_by_hand(sentences, answer)
        found = {kind: counted[kind][names.index(name)] for kind in kinds}
        assert found == {kind: right[kind] for kind in kinds}, name
        assert sum(right.values()), name


def test_a_subject_stands_in_no_prepositional_phrase() -> None:
    words = "Near the old keys of Anna the tall boy [MASK] ."
    tags = ("ADP", "DET", "ADJ", "NOUN", "ADP", "PROPN", "DET", "ADJ", "NOUN", "", "PUNCT")
    asked = LinkedSentence(tuple(words.split()), tags, (TreeLink("boy", 9, 8), TreeLink("keys", 9, 3)), 0)
    right = right_by_rule([asked], ("boy", "keys"))
    found = {str(rule): (right["boy"][i], right["keys"][i]) for i, rule in enumerate(RULES)}
    assert found["the first noun from the start that has no preposition"] == (1, 0)
    assert found["the first noun from the start"] == (0, 1)
    assert found["the second noun from the end that has no preposition"] == (0, 0)


def test_no_rule_told_by_hand_beats_the_one_that_an_examination_names() -> None:
    exams = [exam for exam in map(bundled_exam, ("base", "small")) if exam]
    assert len(exams) == 2
    bank = treebanks()[0]
    sentences = [*relations(bank), *gaps(bank, "[MASK]")]
    asked = Counter(link.kind for sentence in sentences for link in sentence.links)
    by_hand = {name: right_by_hand(sentences, answer) for name, answer in BY_HAND.items()}
    for row in (row for exam in exams for row in exam.rows if row.treebank == bank.name):
        best = max(right[row.relation] for right in by_hand.values()) / asked[row.relation]
        assert row.rule_accuracy >= best - 1e-5, row.relation
        assert not row.passed or row.accuracy >= best + 0.1
        if row.rule in by_hand:
            right = by_hand[row.rule][row.relation]
            assert row.rule_accuracy == pytest.approx(right / asked[row.relation], abs=1e-5)
