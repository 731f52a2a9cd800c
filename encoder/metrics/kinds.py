"""What each token of a run is, [PAD] included, and which tokens a choice of words draws."""

from typing import get_args

from encoder.support.selection import Choice, Selection, TokenKind, selection
from encoder.trace.tokens import Groups
from encoder.trace.trace import Trace
from encoder.trace.words import punctuation


def token_kinds(trace: Trace) -> list[TokenKind]:
    """What each of the n tokens is: "special", "mark" or "word".

    Special is what the model added, padding too; a mark is punctuation; all else is a word or a piece of one, and a
    [MASK] that was typed stands for a word.
    """
    text, end = trace.tokenization, len(trace.tokens) - trace.padding
    return [
        "special" if i >= end or (special and not text.typed(i).strip()) else "mark" if punctuation(token) else "word"
        for i, (token, special) in enumerate(zip(trace.tokens, text.special, strict=True))
    ]


def kinds_of(trace: Trace, groups: Groups) -> list[TokenKind]:
    """What each group of positions is: what its most telling token is, a word before a mark before what was added."""
    kinds = token_kinds(trace)
    return [max((kinds[i] for i in group), key=get_args(TokenKind)[::-1].index) for group in groups]


def tokens_drawn(trace: Trace, choice: Choice, *, merged: bool = False) -> Selection:
    """Which of the n tokens of a run a choice draws; with `merged` which of its words, the pieces of each as one."""
    if not merged:
        return selection(trace.tokens, token_kinds(trace), choice)
    groups = trace.tokenization.words
    return selection([trace.tokenization.spelled(group) for group in groups], kinds_of(trace, groups), choice)


def is_word(trace: Trace) -> list[bool]:
    """Which of the n tokens stand for letters or digits that were written: no mark, no special token but a mask."""
    kinds = zip(token_kinds(trace), trace.tokens, strict=True)
    return [kind != "special" and any(map(str.isalnum, token)) for kind, token in kinds]
