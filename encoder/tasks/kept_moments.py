"""A model at moments of its training: the weights that were kept, and one sentence in all of them.

Where one head looks from each word, and what is guessed at a gap.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from encoder.checkpoint import CheckpointError, find, snapshots, within
from encoder.checkpoint.listing import MODELS
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Tokens
from encoder.trace.unpadded import attention_weights
from encoder.trace.words import merge


def at(name: str | Path, step: int) -> TextEncoder:
    """Return the model as it was after so many steps of training.

    Raises:
        EncoderError: no weights are kept of that step; the message lists those that are.
        encoder.checkpoint.CheckpointError: there is no such model, or a file of it is damaged.
    """
    return TextEncoder.from_pretrained(name, step=step)


def kept_steps(encoder: TextEncoder) -> tuple[int, ...]:
    """Return the training steps whose weights are kept of a model, in order; empty where none are."""
    folder = kept_in(encoder)
    return () if folder is None else snapshots(folder)


def kept_in(encoder: TextEncoder) -> Path | None:
    """Return the folder that a model of a checkpoint was read from; None of others, and where it is not to be found.

    It is looked for in the folder of models, too, that ENCODER_MODELS names.
    """
    source = encoder.source
    if source.maker or source.seed is not None:
        return None
    with suppress(CheckpointError):
        return find(source.origin or source.name)
    with suppress(CheckpointError):
        return within(Path(os.environ.get(MODELS, "")), source.origin) if MODELS in os.environ else None
    return None


def moments_of(encoder: TextEncoder) -> dict[int, TextEncoder]:
    """Return a model after each step of its training whose weights are kept, in order; empty where none are."""
    folder = kept_in(encoder)
    return {step: at(folder, step) for step in kept_steps(encoder)} if folder else {}


FEW = 5  # guesses of a moment


@dataclass(frozen=True)
class WordMoments:
    """Where a head looks from word to word: `weights` [moments, m, m] over the m words that were typed.

    `parked` [moments, m] is what it puts on tokens that no word was typed for, such as [SEP]; with it rows sum to 1.
    `left_out` counts the words that the model cannot read because the text is too long.
    """

    words: tuple[str, ...]
    weights: Tensor
    parked: Tensor
    left_out: int

    def place(self, word: str, usual: int = 0) -> int:
        """Return where a word stands first, or `usual` where it does not."""
        return self.words.index(word) if word in self.words else usual


def typed_words(encoder: TextEncoder, pieces: Tokens) -> list[int]:
    """Return which words of a text were typed, a gap too; others stand for nothing, such as [SEP]."""
    own = [not pieces.special[word[0]] or pieces.tokens[word[0]] == encoder.mask_token for word in pieces.words]
    return [i for i, typed in enumerate(own) if typed]


def word_moments(moments: Mapping[int, TextEncoder], text: str, layer: int, head: int) -> WordMoments:
    """Look at one head of a model at each of these moments, word by word.

    Source: Clark et al. 2019, section 4: weights to a word's pieces are summed, those from them averaged.

    Raises:
        EncoderError: no moment, a text without a word, or a layer or head that is not there.
    """
    if not moments:
        raise EncoderError("got 0 moments; it takes 1 or more")
    weights, parked = list[Tensor](), list[Tensor]()
    words, dropped = list[str](), 0
    for encoder in moments.values():
        for name, value, count in (("layer", layer, encoder.config.n_layers), ("head", head, encoder.config.n_heads)):
            if not 0 <= value < count:
                raise EncoderError(f"{name} is {value}; it must be from 0 to {count - 1}")
        trace = encoder.trace(text)
        pieces = trace.tokenization
        typed = typed_words(encoder, pieces)
        if not typed:
            raise EncoderError("the text has no word")
        between = merge(attention_weights(trace, layer)[head], pieces.words)[typed]
        weights.append(between[:, typed])
        parked.append(between.sum(-1) - between[:, typed].sum(-1))
        words, dropped = [pieces.spelled(pieces.words[i]) for i in typed], pieces.dropped
    return WordMoments(tuple(words), torch.stack(weights), torch.stack(parked), dropped)


@dataclass(frozen=True)
class GapMoments:
    """What is guessed at a gap: by moment the likeliest words with their probabilities, and those of some `forms`.

    `shares` are the probabilities by moment of every word that is among the likeliest at one.
    """

    guesses: tuple[tuple[tuple[str, float], ...], ...]
    forms: Tensor  # [forms, moments]
    shares: Mapping[str, tuple[float, ...]]


def gap_moments(moments: Mapping[int, TextEncoder], text: str, forms: Sequence[str], gap: int = 0) -> GapMoments:
    """Return what a model guesses at a gap of a text, from 0, at each of these moments.

    Raises:
        EncoderError: the text has no such gap, or the model guesses no words.
    """
    guesses, forms_then = list[tuple[tuple[str, float], ...]](), list[list[float]]()
    rows, ids = list[Tensor](), dict[str, int]()
    for encoder in moments.values():
        trace = encoder.trace(text)
        gaps = [i for i, token in enumerate(trace.tokens) if token == encoder.mask_token]
        if gap >= len(gaps):
            raise EncoderError(f"the text has no {encoder.mask_token or 'mask'}{f' {gap}' if gap else ''}")
        at = gaps[gap]
        guess = encoder.predict(trace, FEW, [at])
        if guess is None:
            raise EncoderError(encoder.why_no_guesses)
        guesses.append(tuple(guess[0]))
        rows.append(row := trace["mlm.probabilities"][at])
        ids |= {word: int(i) for (word, _), i in zip(guess[0], row.topk(len(guess[0])).indices, strict=True)}
        forms_then.append([float(row[encoder.word_id(trace, at, form)]) for form in forms])
    shares = {word: tuple(float(row[i]) for row in rows) for word, i in ids.items()}
    return GapMoments(tuple(guesses), torch.tensor(forms_then).T, shares)
