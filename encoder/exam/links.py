"""What heads are asked: from which word they should look at which, in sentences as they stand and around a gap."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from encoder.exam.treebank import Tree, Treebank

OTHER_NUMBER = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has"}  # of a verb
GAP_VERBS = frozenset(OTHER_NUMBER)
GAP_WORDS = 40  # of a sentence with a gap, at most
BESIDE_VERBS = ("aux", "aux:pass", "cop")  # relations of a verb whose subject is its governor's
SUBJECTS = ("nsubj", "nsubj:pass")
NOUNS = ("NOUN", "PROPN")
HIDDEN = ""  # in place of the part of speech of a masked word
NAME, PART = "flat", "compound"  # relations of words within a name, and of nouns within a noun
GAPS = {
    "gap": "the subject of a masked verb",
    "gap:next": "the subject of a masked verb, no noun between",
    "gap:between": "the subject of a masked verb, a noun between",
    "gap:same": "the subject of a masked verb, a noun of the same number between",
    "gap:other": "the subject of a masked verb, a noun of another number between",
}
JUDGED = "gap:between"  # by these gaps heads of subjects are judged: elsewhere the subject is the noun before


class TreeLink(NamedTuple):
    """A question: the word at `source` belongs to the one at `target` by a relation, or by another kind of bond."""

    kind: str
    source: int
    target: int


@dataclass(frozen=True)
class LinkedSentence:
    """A sentence with the links that are asked of it; `number` is its place in its treebank, from 0.

    `tags` are the parts of speech of the words, HIDDEN that of a masked one. Heads are chosen on those with an even
    number and scored on those with an odd one.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    links: tuple[TreeLink, ...]
    number: int

    @property
    def odd(self) -> bool:
        """Whether heads are scored on it, not chosen."""
        return self.number % 2 == 1


def relations(treebank: Treebank) -> Iterator[LinkedSentence]:
    """Yield every sentence with all of its dependents and their governors; the root has none."""
    for number, tree in enumerate(treebank.trees):
        marked = enumerate(zip(tree.relations, tree.heads, strict=True))
        links = tuple(TreeLink(relation, word, head) for word, (relation, head) in marked if head >= 0)
        if links:
            yield LinkedSentence(tree.words, tree.tags, links, number)


def gaps(treebank: Treebank, mask: str) -> Iterator[LinkedSentence]:
    """Yield every sentence once for each verb that can be masked in it, with the link from there to its subject.

    The verb is one of GAP_VERBS in the indicative beside a governor whose subject, a noun, stands before it; the
    sentence has GAP_WORDS words at most. A name of several words is one word: which of them is the head is a mere
    convention.
    """
    for number, tree in enumerate(map(join_names, treebank.trees)):
        for verb, word in enumerate(tree.words[:GAP_WORDS] if len(tree.words) <= GAP_WORDS else ()):
            if word.lower() in GAP_VERBS and tree.moods[verb] == "Ind" and (subject := subject_of(tree, verb)) >= 0:
                kinds = ("gap", *gap_kinds(tree, subject, verb))
                masked = (*tree.words[:verb], mask, *tree.words[verb + 1 :])
                tags = (*tree.tags[:verb], HIDDEN, *tree.tags[verb + 1 :])
                yield LinkedSentence(masked, tags, tuple(TreeLink(kind, verb, subject) for kind in kinds), number)


def join_names(tree: Tree) -> Tree:
    """Make one word of each name of several, "Kori Schulman", under what is marked of its first one."""
    starts = [
        word
        for word, relation in enumerate(tree.relations)
        if relation.split(":")[0] != NAME or not tree.heads[word] < word or word - 1 not in name(tree, word)
    ]
    if len(starts) == len(tree.words):
        return tree
    place = [bisect_right(starts, word) - 1 for word in range(len(tree.words))]
    ends = [*starts[1:], len(tree.words)]
    words = tuple(" ".join(tree.words[start:end]) for start, end in zip(starts, ends, strict=True))
    heads = tuple(place[tree.heads[start]] if tree.heads[start] >= 0 else -1 for start in starts)
    tags, relations, numbers, moods = (
        tuple(column[start] for start in starts) for column in (tree.tags, tree.relations, tree.numbers, tree.moods)
    )
    return Tree(words, tags, heads, relations, numbers, moods, tree.line)


def name(tree: Tree, word: int) -> set[int]:
    """Return the first word of a name and all others of it."""
    first = tree.heads[word]
    return {first, *(i for i, head in enumerate(tree.heads) if head == first and tree.relations[i].startswith(NAME))}


def subject_of(tree: Tree, verb: int) -> int:
    """Find the noun before an auxiliary or a copula that is the subject there; -1 where there is none."""
    if tree.relations[verb] not in BESIDE_VERBS:
        return -1
    for word in range(verb):
        if tree.heads[word] == tree.heads[verb] and tree.relations[word] in SUBJECTS:
            return word if tree.tags[word] in NOUNS else -1
    return -1


def gap_kinds(tree: Tree, subject: int, verb: int) -> tuple[str, ...]:
    """Return the kinds of a gap by the nouns between the subject and the verb."""
    between = [
        word
        for word in range(subject + 1, verb)
        if tree.tags[word] in NOUNS and tree.relations[word].split(":")[0] != PART
    ]
    if not between:
        return ("gap:next",)
    other = any(tree.numbers[word] not in ("", tree.numbers[subject]) for word in between)
    return ("gap:between", "gap:other" if other else "gap:same")


def kinds_of(sentences: Sequence[LinkedSentence]) -> tuple[str, ...]:
    """Return the kinds of links that are asked, in alphabetical order."""
    return tuple(sorted({link.kind for sentence in sentences for link in sentence.links}))
