"""Where words look, the pieces of each taken as one; weights are shares from 0 to 1, [PAD] counts too."""

import torch
from torch import Tensor

from encoder.metrics.kinds import tokens_drawn
from encoder.trace.tokens import Groups
from encoder.trace.trace import Trace
from encoder.trace.words import merge


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
