"""From what to what a head may look, as far as tokens can say: kinds of words, and what one token is to another.

The kinds are lists of frequent English words and the look of the others; no tagger reads the text. In another language
most words are of the kind "word".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from encoder.checkpoint.tokenizer_files import KNOWN
from encoder.metrics.roles import ROLES, patterns
from encoder.trace.tokens import Tokens
from encoder.trace.words import punctuation

LISTS = {
    "article": "a an the",
    "preposition": "about above across after against along among around as at before behind below beside between "
    "beyond by down during except for from in inside into like near of off on onto out over past since than through to "
    "toward towards under until up upon via with within without",
    "pronoun": "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs "
    "myself yourself himself herself itself ourselves themselves this that these those someone something everyone "
    "everything anyone anything nobody nothing",
    "auxiliary": "am is are was were be been being have has had having do does did doing will would shall should can "
    "could may might must",
    "conjunction": "and or but nor so yet if because although though while unless whereas",
    "question": "who whom whose which what when where why how",
}
LISTED = {word: kind for kind, words in LISTS.items() for word in words.split()}
WORDS = ("word", "name", *LISTS, "number")
FROM = ("any", *WORDS, "punctuation", "cls", "sep")  # what a query may be
RELATIONS = ("same", "own_word", "before_punctuation", "word_before", "word_after")
TO = (*ROLES, *RELATIONS, *WORDS)  # what a key may be, by itself or to its query
SIDES = ("sentence_a", "sentence_b")  # what queries and keys may also be where texts are pairs
MEANINGS = {
    "any": "any token",
    "word": "a word of no list",
    "name": "a capitalised word that is not the first",
    "article": "an article",
    "preposition": "a preposition",
    "pronoun": "a pronoun",
    "auxiliary": "an auxiliary verb",
    "conjunction": "a conjunction",
    "question": "a question word",
    "number": "a number",
    "punctuation": "punctuation",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "special": "[CLS] or [SEP]",
    "self": "itself",
    "previous": "the token before",
    "next": "the token after",
    "same": "the same token elsewhere",
    "own_word": "another piece of the same word",
    "before_punctuation": "the token before punctuation",
    "word_before": "the nearest earlier word of no list",
    "word_after": "the nearest later word of no list",
    "sentence_a": "a token of sentence A",
    "sentence_b": "a token of sentence B",
}


@dataclass(frozen=True)
class Across:
    """A measure of heads over pairs of sentences, from one of SIDES to the other; `title`, `meaning` are for people.

    It is the weight that a token of the one sentence puts on all tokens of the other together, a share from 0 to 1, in
    the mean over the tokens of the one. Tokens that the model adds, [CLS] and [SEP], are of neither sentence (in
    `encoder.metrics.segment_mass` they are of the one that their segment says).
    """

    title: str
    meaning: str
    start: str
    end: str


ACROSS = {
    "a_to_b": Across("A to B", "Share of the weight of sentence A's tokens on those of sentence B.", *SIDES),
    "b_to_a": Across("B to A", "Share of the weight of sentence B's tokens on those of sentence A.", *reversed(SIDES)),
}


def told_apart(pairs: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds that queries and keys are told apart by; where texts are pairs of sentences, both go on with SIDES."""
    sides = SIDES if pairs else ()
    return (*FROM, *sides), (*TO, *sides)


def kinds(pieces: Tokens) -> list[str]:
    """The kind of each token, one of FROM but "any"; all pieces of a word have the word's, and other marks none."""
    names = [""] * len(pieces.tokens)
    words = [word for word in pieces.words if not pieces.special[word[0]]]
    first = {pieces.segments[word[0]]: word for word in reversed(words)}  # of each sentence
    for word in words:
        for position in word:
            names[position] = kind_of(pieces.spelled(word), first=word in first.values())
    for position, token in enumerate(pieces.tokens):
        if pieces.special[position]:
            names[position] = next((kind for kind in ("cls", "sep") if token in KNOWN[kind]), "")
    return names


def kind_of(word: str, first: bool) -> str:
    """Return the kind of a word as it was typed."""
    if punctuation(word):
        return "punctuation"
    if any(c.isdecimal() for c in word):
        return "number"
    if listed := LISTED.get(word.casefold()):
        return listed
    return "name" if word[:1].isupper() and not first else "word"


def same(tokens: Sequence[str]) -> Tensor:
    """1 where the key is another place with the query's token: [n, n]."""
    number = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    return others(torch.tensor([number[token] for token in tokens]))


def others(groups: Tensor) -> Tensor:
    """1 where two different places have the same number [n]: [n, n]."""
    return ((groups == groups[:, None]) & ~torch.eye(len(groups), dtype=torch.bool)).float()


def own_word(pieces: Tokens) -> Tensor:
    """1 where the key is another piece of the query's word: [n, n]."""
    number = {position: i for i, word in enumerate(pieces.words) for position in word}
    return others(torch.tensor([number[position] for position in range(len(pieces.tokens))]))


def before_punctuation(pieces: Tokens) -> Tensor:
    """1 where the key is followed by punctuation and is none itself: [n, n]."""
    every = zip(pieces.tokens, pieces.special, strict=True)
    marks = [not special and punctuation(token) for token, special in every]
    after = zip(marks, pieces.special, [*marks[1:], False], strict=True)
    return columns([then and not (mark or special) for mark, special, then in after])


def nearest_words(pieces: Tokens, names: Sequence[str]) -> tuple[Tensor, Tensor]:
    """1 where the key begins the nearest other word of no list, earlier and later: [n, n] each."""
    n = len(names)
    starts = np.array([word[0] for word in pieces.words if names[word[0]] == "word"], dtype=np.int64)
    maps = np.zeros((2, n, n), np.float32)
    for word in pieces.words:
        before, after = np.searchsorted(starts, word[0]) - 1, np.searchsorted(starts, word[-1], "right")
        for query in word:
            if before >= 0:
                maps[0, query, starts[before]] = 1
            if after < len(starts):
                maps[1, query, starts[after]] = 1
    earlier, later = torch.from_numpy(maps)
    return earlier, later


def columns(keys: Sequence[bool]) -> Tensor:
    """Return the same keys for every query: [n, n]."""
    return torch.tensor(keys).float().expand(len(keys), len(keys))


def pairs_of(pieces: Tokens) -> tuple[Tensor, Tensor]:
    """1 where a query is of each kind of FROM, [FROM, n], and where its keys of each of TO are, [TO, n, n]; else 0.

    Of a pair of sentences both go on with SIDES.
    """
    names = kinds(pieces)
    queries = [[kind in ("any", name) for name in names] for kind in FROM]
    relations = [same(pieces.tokens), own_word(pieces), before_punctuation(pieces), *nearest_words(pieces, names)]
    words = [columns([name == kind for name in names]) for kind in WORDS]
    sides = sides_of(pieces) if any(pieces.segments) else []
    keys = torch.stack([*relations, *words, *map(columns, sides)])
    return torch.tensor(queries + sides).float(), torch.cat([patterns(pieces.tokens), keys])


def sides_of(pieces: Tokens) -> list[list[bool]]:
    """Return whether each token is of sentence A, and of sentence B: those that the model adds are of neither."""
    every = list(zip(pieces.segments, pieces.special, strict=True))
    return [[segment == side and not special for segment, special in every] for side in range(len(SIDES))]
