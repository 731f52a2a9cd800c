"""Pieces merged to words: the tokenizer says which pieces are one word, and attention is summed and averaged over them.

The rule is that of Clark et al. 2019, "What Does BERT Look At?", section 4: attention to a word is the sum over its
pieces, attention from a word the mean over them, so that every row still sums to 1.
"""

import re
import unicodedata
from collections.abc import Hashable, Sequence
from itertools import groupby

import torch
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.trace.tokens import Groups

# The kinds of a word's pieces, in groups: marks before it (.), the word itself (x, and spaces alone), marks behind it.
MARKED = re.compile(r"([ .]*\.)?( *x(?:.*x)?)([ .]*)")


def word_groups(words: Sequence[Hashable | None], typed: Sequence[str]) -> Groups:
    """The positions of each word's pieces, in reading order; every position is in one group.

    A word is what the tokenizer splits into pieces. Tokenizers that split at spaces alone leave a full stop or a
    bracket in the word; where it is a piece of its own, it stands beside the word.

    Args:
        words: for each position what tells its word from its neighbours'; None for a token that is no piece of a word.
        typed: what was typed for each position.
    """
    groups = []
    for key, run in groupby(range(len(words)), lambda i: words[i]):
        pieces = list(run)
        groups += [[i] for i in pieces] if key is None else without_marks(pieces, typed)
    return tuple(map(tuple, groups))


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
