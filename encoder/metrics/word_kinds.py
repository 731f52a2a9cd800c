"""What the tokens and words of a run are, how the model knows them, which a picture draws, and where words look.

Weights are shares from 0 to 1; [PAD] counts among the tokens.
"""

from dataclasses import dataclass
from typing import get_args

import torch
from torch import Tensor

from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.support.selection import Choice, Selection, TokenKind, selection
from encoder.trace.tokens import Groups, Tokens
from encoder.trace.trace import Trace
from encoder.trace.words import merge, punctuation


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


BEFORE_NOUNS = "a an this that each every another one these those many several few both two three"
LITTLE = (
    "the and or but for with from into over under not he she it they we you him her his its their our your my "
    "them us who which some any all was were is are has have had does did will would can could i a an of to in "
    "on at by as if so no nor yet when while before after because although though despite than then there here "
    "about between against during through without within more most very only also just even be been being may "
    "might must shall should me myself himself herself itself themselves"
)
OF_NUMBER = frozenset(BEFORE_NOUNS.split())  # words that want the noun behind them in one number
OF_GRAMMAR = OF_NUMBER | frozenset(LITTLE.split())  # words that every text of English is full of


FEW = 0.5  # of the words whole, or fewer: what a model does with them says little


@dataclass(frozen=True)
class WordsKnown:
    """How many words were typed, and of these how many are one token, several, or have an unknown piece."""

    whole: int
    pieces: int
    unknown: int

    @property
    def words(self) -> int:
        """All words."""
        return self.whole + self.pieces + self.unknown

    @property
    def few(self) -> bool:
        """Whether few words are known whole."""
        return self.words > 0 and self.whole <= FEW * self.words

    @property
    def sentence(self) -> str:
        """What a reader must know of it; empty where most words are known whole and none is unknown."""
        if not (self.few or self.unknown):
            return ""
        these = f"these {self.words} words" if self.words > 1 else "this word"
        if self.words == 1:
            text = "The model does not know this word" + (" at all" if self.unknown else " whole, only in pieces")
        else:
            parts = [f"{self.pieces} it reads in pieces"] * bool(self.pieces)
            parts += [f"{self.unknown} {'is' if self.unknown == 1 else 'are'} unknown to it"] * bool(self.unknown)
            text = f"The model knows {self.whole or 'none'} of {these} whole; {' and '.join(parts)}"
        little = f": what it does with {'them' if self.words > 1 else 'it'} says little"
        return f"{text}{little if self.few else ''}."


def words_known(text: Tokens) -> WordsKnown:
    """Count the words of a text, or a pair, by how the model knows them; marks, masks and added tokens are none."""
    words = [
        tuple(text.tokens[i] for i in word)
        for word in text.words
        if not text.special[word[0]]
        and text.mask not in {text.tokens[i] for i in word}
        and not punctuation(text.spelled(word))
    ]
    unknown = sum(any(token in UNKNOWN for token in word) for word in words)
    whole = sum(len(word) == 1 and word[0] not in UNKNOWN for word in words)
    return WordsKnown(whole, len(words) - whole - unknown, unknown)


def groups_of(trace: Trace, merged: bool) -> Groups:
    """Return the positions behind each token, or with `merged` behind each word."""
    return trace.tokenization.words if merged else tuple((i,) for i in range(len(trace.tokens)))


def between_words(trace: Trace, layer: int) -> Tensor:
    """Return the weights of each head of a layer from word to word, [H, words, words], as float64.

    Of a word of several pieces they are the mean of the pieces' rows and the sum of their columns, see
    `encoder.trace.words.merge`.
    """
    return merge(trace[f"layers.{layer}.attention.weights"].double(), trace.tokenization.words)


def sentence_of_words(trace: Trace) -> tuple[int, ...]:
    """Return the sentence of each word, 0 for A and 1 for B; 0 for all where there is one sentence."""
    segments = trace.tokenization.segments
    return tuple(segments[word[0]] if trace.tokenization.pair else 0 for word in trace.tokenization.words)


def from_word(trace: Trace, layer: int, position: int) -> Tensor:
    """Where each head of a layer looks from the word that holds a position: the share of every word, [H, words].

    Shares are those of `encoder.trace.words.merge`; what goes to tokens that are no words is left out.
    """
    drawn, groups = tokens_drawn(trace, "words", merged=True), trace.tokenization.words
    rows = trace[f"layers.{layer}.attention.weights"][:, list(trace.tokenization.word_of(position))].double().mean(1)
    return torch.stack([rows[:, list(groups[word])].sum(-1) for word in drawn.at], -1)
