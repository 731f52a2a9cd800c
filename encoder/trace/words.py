"""Pieces merged to words: the tokenizer says which pieces are one word, and attention is summed and averaged over them.

The rule is that of Clark et al. 2019, "What Does BERT Look At?", section 4: attention to a word is the sum over its
pieces, attention from a word the mean over them, so that every row still sums to 1.
"""

import re
import unicodedata
from collections.abc import Hashable, Sequence
from itertools import groupby, pairwise

import torch
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.trace.scripts import is_ideograph, is_unspaced, letters_of
from encoder.trace.tokens import Groups

# The kinds of a word's pieces, in groups: marks before it (.), the word itself (x, and spaces alone), marks behind it.
MARKED = re.compile(r"([ .]*\.)?( *x(?:.*x)?)([ .]*)")


def word_groups(
    words: Sequence[Hashable | None], typed: Sequence[str], spans: Sequence[tuple[int, int]] = ()
) -> Groups:
    """The positions of each word's pieces, in reading order; every position is in one group.

    A word is what the tokenizer splits into pieces. Tokenizers that split at spaces alone leave a full stop or a
    bracket in the word; where it is a piece of its own, it stands beside the word. In a script without spaces between
    words the pieces are the words, see `unspaced_words`.

    Args:
        words: for each position what tells its word from its neighbours'; None for a token that is no piece of a word.
        typed: what was typed for each position.
        spans: where that stands in the text; without it no two pieces are of the same letter.
    """
    groups = []
    letters = [letters_of(text) for text in typed]
    for key, run in groupby(range(len(words)), lambda i: words[i]):
        pieces = list(run)
        if key is None:
            groups += [[i] for i in pieces]
        elif any(is_unspaced(letter) for i in pieces for letter in letters[i]):
            groups += unspaced_words(pieces, typed, letters, spans)
        else:
            groups += without_marks(pieces, typed)
    return tuple(map(tuple, groups))


def unspaced_words(
    pieces: list[int], typed: Sequence[str], letters: Sequence[list[str]], spans: Sequence[tuple[int, int]]
) -> list[list[int]]:
    """The words of a stretch of text without spaces, from the pieces of a tokenizer that leaves it whole.

    Each piece is a word, but what no word can end within is one: a letter and the marks that belong to it, a word that
    is spelled out letter by letter or byte by byte (a piece that is one Chinese letter is a word itself), and what
    stands in letters of a script with spaces. Punctuation stays together.
    """
    parted = {  # pieces that are bytes of a letter
        i for pair in pairwise(pieces) if spans and spans[pair[1]][0] < spans[pair[0]][1] for i in pair
    }
    kinds = [kind_of(typed[i], letters[i], i in parted) for i in pieces]
    groups = [[pieces[0]]]
    for (before, i), (kind_before, kind) in zip(pairwise(pieces), pairwise(kinds), strict=True):
        belongs = {before, i} <= parted or unicodedata.category(typed[i][:1] or " ").startswith("M")
        together = kind == kind_before and kind != "word"
        if belongs or together or kind_before == "blank":
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def kind_of(typed: str, letters: list[str], parted: bool) -> str:
    """What a piece is: blank, a mark, of a script with spaces, a word, or what may be one letter of a word."""
    if not typed.strip():
        return "blank"
    if punctuation(typed):
        return "mark"
    if not any(map(is_unspaced, letters)):
        return "spaced"
    if any(map(is_ideograph, letters)):
        return "bytes" if parted else "word"
    return "letter" if parted or len(letters) == 1 else "word"


def without_marks(pieces: list[int], typed: Sequence[str]) -> list[list[int]]:
    """A word's pieces with the punctuation before and after it taken apart; punctuation alone stays together."""
    kinds = "".join("." if punctuation(typed[i]) else "x" if typed[i].strip() else " " for i in pieces)
    parts = MARKED.fullmatch(kinds)
    if parts is None:
        return [pieces]
    spans = [parts.span(i) for i in (1, 2, 3)]
    return [pieces[start:end] for start, end in spans if start < end]


def punctuation(token: str) -> bool:
    """Whether a token is nothing but punctuation, in the sense of Unicode."""
    return all(unicodedata.category(c).startswith("P") for c in token.removeprefix("Ġ").removeprefix("▁") or "x")


def merge(weights: Tensor, groups: Groups) -> Tensor:
    """Attention from word to word: columns of a word's pieces summed, rows averaged [..., n, n] -> [..., m, m].

    Raises:
        EncoderError: weights that are not over the positions of the groups.
    """
    n = sum(map(len, groups))
    if weights.dim() < 2 or weights.shape[-2:] != (n, n):
        raise EncoderError(f"weights are {list(weights.shape)} for groups of {n} tokens; they must be [..., {n}, {n}]")
    belongs = torch.zeros(len(groups), n, dtype=weights.dtype)
    for word, group in enumerate(groups):
        belongs[word, list(group)] = 1
    return (belongs / belongs.sum(-1, keepdim=True)) @ weights @ belongs.T


def places(spans: Sequence[tuple[int, int]], words: Sequence[str]) -> list[list[int]]:
    """Find the positions of the pieces of each word, for words that stand in the text with one space between them.

    A piece that reaches over several words is a piece of each of them.

    Args:
        spans: the stretch of the text behind each position, (0, 0) for tokens that the model adds.
        words: the words of the text.

    Raises:
        EncoderError: the tokenizer gives a word no piece.
    """
    pieces_at, start, first = list[list[int]](), 0, 0
    for word in words:
        end = start + len(word)
        while first < len(spans) and spans[first][1] <= start:
            first += 1
        pieces, i = list[int](), first
        while i < len(spans) and (spans[i][0] < end or spans[i][1] <= start):
            if max(spans[i][0], start) < min(spans[i][1], end):
                pieces.append(i)
            i += 1
        if not pieces:
            raise EncoderError(f"the tokenizer has no piece for “{word}”, so nothing can be read of it")
        pieces_at.append(pieces)
        start = end + 1
    return pieces_at
