"""Simple rules beside the heads: which word answers, by where it stands and what kind of word it is, without a model.

A rule has three parts: a kind of word, the side on which it is looked for, and which one there it is: "the second noun
before". Beside these stand all fixed distances. All are tried at every job, on the very sentences that they are
compared on, and the best one is what a head must beat. They are told what no head is: the parts of speech that people
marked, of every word but a hidden one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from encoder.exam.links import NOUNS, LinkedSentence
from encoder.support.cached_property import cached_property
from encoder.support.progress import pulse

Places = NDArray[np.int64]
OWN = "word of its own kind"  # the one kind that depends on the word that asks
KINDS = {  # what is looked for -> the parts of speech it has; none of them: any word
    "word": (),
    "noun": NOUNS,
    "noun or pronoun": (*NOUNS, "PRON"),
    "verb": ("VERB",),
    "verb or auxiliary": ("VERB", "AUX"),
    "noun, verb or adjective": (*NOUNS, "VERB", "ADJ"),
    "content word": (*NOUNS, "VERB", "ADJ", "ADV", "NUM"),
    "adjective": ("ADJ",),
    "adverb": ("ADV",),
    "pronoun": ("PRON",),
    "auxiliary": ("AUX",),
    "preposition": ("ADP",),
    "article": ("DET",),
    "number": ("NUM",),
    "conjunction": ("CCONJ", "SCONJ"),
    "punctuation mark": ("PUNCT",),
}
SIDES = ("before", "after", "before, else after", "after, else before", "from the start", "from the end")
ORDINALS = ("first", "second", "third")
WITHIN = (*NOUNS, "ADJ", "NUM", "ADV")  # what a noun has before it, up to its article
OPENS = ("DET", "PRON")  # an article or a possessive


DIGITS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def distance_in_words(distance: int) -> str:
    """Return a fixed distance in words: "two words back", or "one word on"."""
    apart = DIGITS[abs(distance)] if abs(distance) < len(DIGITS) else str(abs(distance))
    return f"{apart} {'word' if abs(distance) == 1 else 'words'} {'back' if distance < 0 else 'on'}"


class Rule(NamedTuple):
    """The how-manieth of a kind of word on a side, counted from 1."""

    kind: str
    side: str
    ordinal: int

    def __str__(self) -> str:
        """Say it to people: "the second noun before"."""
        which = ORDINALS[self.ordinal - 1] if self.side in SIDES[4:] or self.ordinal > 1 else "nearest"
        word, that, company = self.kind.partition(" that ")
        pause = "," if that and "," in self.side else ""
        return f"the {which} {word} {self.side}{pause}{that}{company}"


def marks(tags: Sequence[str]) -> dict[str, list[bool]]:
    """Return for each kind of words but OWN where such a word stands: by themselves, then by their company."""
    kinds = {kind: [not of or tag in of for tag in tags] for kind, of in KINDS.items()}
    noun, pronoun, mark = kinds["noun"], kinds["noun or pronoun"], kinds["punctuation mark"]
    before, after = ["", *tags][: len(tags)], [*tags, ""][1:]
    named = kinds["noun, verb or adjective"]
    outside = [yes and opened(tags, i) != "ADP" for i, yes in enumerate(noun)]
    company = {
        "word that is no punctuation mark": [not each for each in mark],
        "word that follows a punctuation mark": [tag == "PUNCT" for tag in before],
        "word that a punctuation mark follows": [tag == "PUNCT" for tag in after],
        "noun that no noun follows": [yes and tag not in NOUNS for yes, tag in zip(noun, after, strict=True)],
        "noun or pronoun that no noun follows": [
            yes and tag not in NOUNS for yes, tag in zip(pronoun, after, strict=True)
        ],
        "noun, verb or adjective that none of them follows": [
            yes and not then for yes, then in zip(named, [*named, False][1:], strict=True)
        ],
        "noun that a preposition follows": [yes and tag == "ADP" for yes, tag in zip(noun, after, strict=True)],
        "noun that has no preposition": outside,
        "noun that has no preposition and no noun after it": [
            yes and tag not in NOUNS for yes, tag in zip(outside, after, strict=True)
        ],
    }
    return kinds | company


def opened(tags: Sequence[str], noun: int) -> str:
    """Return the part of speech of the word before a noun and what belongs to it, its article included."""
    at = noun - 1
    while at >= 0 and tags[at] in WITHIN:
        at -= 1
    if at >= 0 and tags[at] in OPENS:
        at -= 1
    return tags[at] if at >= 0 else ""


RULES = tuple(
    Rule(kind, side, ordinal)
    for kind in (*marks(()), OWN)
    for side in SIDES
    for ordinal in range(1, len(ORDINALS) + 1)
    if kind != "word" or side in SIDES[4:]  # words before and after, whatever they are, are the fixed distances
)


@dataclass(frozen=True)
class Asked:
    """The links of some sentences, their words behind one another: arrays with a number for each link."""

    sentences: Sequence[LinkedSentence]

    @cached_property
    def starts(self) -> Places:
        """Where each sentence begins among all words."""
        return np.cumsum([0, *(len(sentence.words) for sentence in self.sentences)])

    @cached_property
    def links(self) -> tuple[Places, Places, Places, Places]:
        """Of each link: where its sentence begins and ends, its source and its target."""
        rows = [
            (start, start + len(sentence.words), start + link.source, start + link.target)
            for start, sentence in zip(self.starts.tolist(), self.sentences, strict=False)
            for link in sentence.links
        ]
        begin, end, source, target = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return begin, end, source, target

    def answers(self) -> Iterator[tuple[Rule, Places]]:
        """Yield the answer of each rule at each link, as a place among all words; -1 where it finds no word."""
        tags = np.array([tag for sentence in self.sentences for tag in sentence.tags], dtype=object)
        where = dict[str, list[Places]]()
        for start, sentence in zip(self.starts.tolist(), self.sentences, strict=False):
            pulse()
            for kind, standing in marks(sentence.tags).items():
                where.setdefault(kind, []).append(np.flatnonzero(standing) + start)
        by_kind = {kind: np.concatenate(places) for kind, places in where.items()}
        source = self.links[2]
        every = np.arange(len(source))
        for kind in dict.fromkeys(rule.kind for rule in RULES):
            parts = (
                [(np.flatnonzero(tags[source] == tag), np.flatnonzero(tags == tag)) for tag in sorted(set(tags))]
                if kind == OWN
                else [(every, by_kind.get(kind, every[:0]))]
            )
            for rule in (rule for rule in RULES if rule.kind == kind):
                answer = np.full(len(source), -1)
                for asked, places in parts:
                    answer[asked] = self.answered(places, asked, rule)
                yield rule, answer

    def answered(self, places: Places, asked: Places, rule: Rule) -> Places:
        """Return what a rule answers at some links, where words of its kind stand at `places`."""
        begin, end, source, _ = (of[asked] for of in self.links)
        first, last, at = (np.searchsorted(places, of) for of in (begin, end, source))
        behind = np.searchsorted(
            places, source, side="right"
        )  # one more than `at` where the word itself is of the kind
        padded = np.append(places, -1)

        def pick(index: Places, good: NDArray[np.bool_]) -> Places:
            return padded[np.where(good, index, len(places))]

        nth = rule.ordinal
        before, after = pick(at - nth, at - nth >= first), pick(behind + nth - 1, behind + nth - 1 < last)
        from_start, from_end = first + nth - 1, last - nth
        from_start = from_start + (behind - at) * (from_start >= at)
        from_end = from_end - (behind - at) * (from_end < behind)
        return (
            before,
            after,
            np.where(before < 0, after, before),
            np.where(after < 0, before, after),
            pick(from_start, from_start < last),
            pick(from_end, from_end >= first),
        )[SIDES.index(rule.side)]


def right_by_rule(sentences: Sequence[LinkedSentence], kinds: Sequence[str]) -> dict[str, list[int]]:
    """Return for each kind of links how often each of RULES is right at them."""
    asked = Asked(sentences)
    slots = {kind: i for i, kind in enumerate(kinds)}
    slot = np.array([slots[link.kind] for sentence in sentences for link in sentence.links], dtype=np.int64)
    target = asked.links[3]
    counts = [np.bincount(slot[answer == target], minlength=len(kinds)) for _, answer in asked.answers()]
    return {kind: [int(count[i]) for count in counts] for kind, i in slots.items()}
