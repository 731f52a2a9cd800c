"""Ask a word: where it looks and who looks at it, in every head; weights are shares from 0 to 1, [PAD] counts too."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from encoder.formatting import percent, shown
from encoder.metrics.kinds import kinds_of, tokens_drawn
from encoder.selection import Choice, Selection, TokenKind
from encoder.trace.tokens import Groups
from encoder.trace.trace import Trace
from encoder.trace.words import merge

Way = Literal["from", "to"]  # where a word looks, or who looks at it
WAYS: tuple[Way, ...] = ("from", "to")
NOBODY = -1


@dataclass(frozen=True)
class Asked:
    """What can be asked of a run: its tokens, or its words.

    `groups` are the positions behind each of m words (of one position each, where they are tokens), `names` and `kinds`
    what each is, `segments` its sentence of a pair, `drawn` which of them are no part of the chip of those left out.
    `weights` are those of every head, [n_layers, H, m, m]: of a word of several pieces the mean of their rows and the
    sum of their columns, see `encoder.trace.words.merge`.
    """

    groups: Groups
    names: tuple[str, ...]
    kinds: tuple[TokenKind, ...]
    segments: tuple[int, ...]
    drawn: Selection
    weights: np.ndarray

    @property
    def layers(self) -> int:
        """How many layers."""
        return int(self.weights.shape[0])

    @property
    def heads(self) -> int:
        """How many heads in each."""
        return int(self.weights.shape[1])

    def word_at(self, position: int) -> int:
        """The word that holds a position, NOBODY where that is none, or one that is left out."""
        return word_at(self.groups, self.drawn, position)

    def called(self, word: int) -> str:
        """A word in quotation marks, with its position where another one is called the same."""
        name = shown(self.names[word])
        same = sum(shown(self.names[i]) == name for i in self.drawn.at) > 1
        return f"“{name}” ({self.groups[word][0]})" if same else f"“{name}”"

    @property
    def largest(self) -> float:
        """The largest weight that is drawn in any head."""
        return float(np.nan_to_num(self.drawn.cut(self.weights)).max())

    def answers(self, word: int, way: Way) -> np.ndarray:
        """What each head gives from, or to, each word: [n_layers, H, m]."""
        return self.weights[:, :, word] if way == "from" else self.weights[..., word]

    def best(self, word: int, way: Way) -> np.ndarray:
        """For each head the other word that is drawn with the largest answer to this one: [n_layers, H].

        NOBODY where there is none, or no number.
        """
        found = np.full((self.layers, self.heads, len(self.names)), -1.0)
        others = [i for i in self.drawn.at if i != word]
        found[..., others] = self.answers(word, way)[..., others]
        lost = ~np.isfinite(found).all(-1) | (found.max(-1) < 0)
        return np.where(lost, NOBODY, np.nan_to_num(found).argmax(-1))

    def parked(self, word: int) -> np.ndarray:
        """How much a word gives in each head to what is left out: [n_layers, H]."""
        others = [i for i in range(len(self.names)) if i not in set(self.drawn.at)]
        return np.asarray(self.weights[:, :, word, others].astype(np.float64).sum(-1))

    def parked_sentence(self, layer: int, head: int) -> str:
        """How much of the words' weight one head parks on what is left out; empty where nothing is."""
        if self.drawn.whole:
            return ""
        share = self.drawn.outside(self.weights[layer, head])
        return f"In layer {layer}, head {head} the words park {percent(share)} of their weight on {self.drawn.said}."


def word_at(groups: Groups, drawn: Selection, position: int) -> int:
    """The word that holds a position, NOBODY where that is none, or one that is left out."""
    found = next((i for i, group in enumerate(groups) if position in group), NOBODY)
    return found if found in drawn.at else NOBODY


def groups_of(trace: Trace, merged: bool) -> Groups:
    """The positions behind each token, or with `merged` behind each word."""
    return trace.tokenization.words if merged else tuple((i,) for i in range(len(trace.tokens)))


def words_asked(trace: Trace, choice: Choice, merged: bool) -> Selection:
    """Which tokens or words can be asked."""
    return tokens_drawn(trace, "words" if choice == "all" else choice, merged=merged)


def asked(trace: Trace, choice: Choice = "words", *, merged: bool = False) -> Asked:
    """A run to be asked; with `merged` the pieces of a word are one.

    Special tokens are left out, and punctuation where the choice says so; all tokens are words where there is no other.
    """
    text = trace.tokenization
    names = [f"layers.{i}.attention.weights" for i in range(trace.config.n_layers)]
    groups, drawn = groups_of(trace, merged), words_asked(trace, choice, merged)
    layers = [merge(trace[name].double(), groups) if merged else trace[name] for name in names]
    return Asked(
        groups,
        drawn.names,
        tuple(kinds_of(trace, groups)),
        tuple(text.segments[group[0]] for group in groups) if text.pair else (0,) * len(groups),
        drawn,
        np.stack([layer.numpy() for layer in layers]),
    )


def from_word(trace: Trace, layer: int, position: int) -> Tensor:
    """Where each head of a layer looks from the word that holds a position: the share of every word, [H, words].

    Shares are those of `encoder.trace.words.merge`; what goes to tokens that are no words is left out.
    """
    drawn, groups = tokens_drawn(trace, "words", merged=True), trace.tokenization.words
    rows = trace[f"layers.{layer}.attention.weights"][:, list(trace.tokenization.word_of(position))].double().mean(1)
    return torch.stack([rows[:, list(groups[word])].sum(-1) for word in drawn.at], -1)


def fact(run: Asked, layer: int, head: int, word: int, way: Way, second: int = NOBODY) -> str:
    """What one head answers, in one sentence; empty where no word is asked."""
    if word == NOBODY:
        return ""
    where = f"in layer {layer}, head {head}"
    row = run.answers(word, way)[layer, head]
    one, at = run.called(word), second if second != NOBODY else int(run.best(word, way)[layer, head])
    if at == NOBODY:
        return f"There is no word but {one}." if len(run.drawn.at) < 2 else f"There is no number {where}."
    other, share = run.called(at), percent(float(row[at]), 1)
    if second != NOBODY:
        looks, seen = (one, other) if way == "from" else (other, one)
        return f"{looks} looks at {seen} with {share} of its attention, {where}."
    if way == "from":
        return f"{one} looks most at {other}: {share}, {where}."
    return f"{one} is looked at most by {other}, which gives it {share} of its attention, {where}."


def opened(trace: Trace, run: Asked, layer: int, head: int, query: int, key: int) -> tuple[int, int, int]:
    """The index in a layer's weights of the number behind a share: of several pieces the pair of largest weight."""
    rows_, columns = list(run.groups[query]), list(run.groups[key])
    weights = trace[f"layers.{layer}.attention.weights"][head].numpy()[np.ix_(rows_, columns)]
    i, j = np.unravel_index(np.nan_to_num(weights).argmax(), weights.shape)
    return head, rows_[int(i)], columns[int(j)]
