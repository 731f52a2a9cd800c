"""A model at moments of its training: weights kept on the way, when heads take up their work, what a film shows.

A film is one sentence at these moments: where one head looks from each word, and what is guessed at a gap.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.checkpoint import CheckpointError, find, snapshots, within
from encoder.checkpoint.listing import MODELS
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.head_measures import HEAD_MEASURES, Survey, survey
from encoder.metrics.layers import cosine
from encoder.metrics.neurons import nearest_words
from encoder.metrics.roles import ROLES
from encoder.support.errors import EncoderError
from encoder.tasks.models import every_moment as every_moment_of_task
from encoder.tasks.models import settings_of
from encoder.tasks.task_training import looked_at
from encoder.trace.tokens import Tokens
from encoder.trace.unpadded import attention_weights, tokens
from encoder.trace.words import merge
from encoder.train.evaluation import Score, evaluate_text


def at(name: str | Path, step: int) -> TextEncoder:
    """Return the model as it was after so many steps of training.

    Raises:
        EncoderError: no weights are kept of that step; the message lists those that are.
        encoder.checkpoint.CheckpointError: there is no such model, or a file of it is damaged.
    """
    return TextEncoder.from_pretrained(name, step=step)


def kept_steps(encoder: TextEncoder) -> tuple[int, ...]:
    """Return the training steps whose weights are kept of a model, in order; empty where none are."""
    source = encoder.source
    if (settings := settings_of(source)) is not None:
        return tuple(sorted(looked_at(settings.steps)[1]))
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
    """Return a model after each step of its training whose weights are kept, in order; empty where none are.

    One of a task whose run was not recorded is trained again.
    """
    source = encoder.source
    if (settings := settings_of(source)) is not None:
        return every_moment_of_task(settings)
    folder = kept_in(encoder)
    return {step: at(folder, step) for step in kept_steps(encoder)} if folder else {}


@dataclass(frozen=True)
class Strongest:
    """The head with the largest mass on a role at one step; `clear` says whether `head_roles` gives it that label."""

    step: int
    layer: int
    head: int
    mass: float
    clear: bool


def strongest(step: int, result: Survey, role: str) -> Strongest:
    """Return the head that looks most at a role's keys in a survey of the model after `step` steps.

    Raises:
        EncoderError: a role that is not one of ROLES.
    """
    if role not in ROLES:
        raise EncoderError(f"role is {role!r}; it must be one of {', '.join(ROLES)}")
    mass = result.measures[role]
    layer, head = divmod(int(mass.argmax()), mass.shape[1])
    return Strongest(step, layer, head, float(mass[layer, head]), result.roles[layer][head].label == role)


def evaluate_each(models: Mapping[int, TextEncoder], lines: Sequence[str]) -> list[Score]:
    """Return the score of a model at each of several moments of its training, on lines of text."""
    return [evaluate_text(model, lines) for model in models.values()]


def strongest_heads(moments: Mapping[int, TextEncoder], roles: Sequence[str]) -> dict[str, list[Strongest]]:
    """By role the strongest head of a model at each of these moments, over the bundled sentences.

    Raises:
        EncoderError: a role that is not one of ROLES.
    """
    surveys = {step: survey(model) for step, model in moments.items()}
    return {role: [strongest(step, habits, role) for step, habits in surveys.items()] for role in roles}


def appears(heads: list[Strongest]) -> tuple[Strongest | None, Strongest] | None:
    """The last moment without a clear head (None if there was none) and the first with one, after which one stays.

    None where the last moment has no clear head.
    """
    if not heads or not heads[-1].clear:
        return None
    first = max((i for i, head in enumerate(heads) if not head.clear), default=-1) + 1
    return (heads[first - 1] if first else None), heads[first]


@dataclass(frozen=True)
class Moment:
    """One sentence in the model of one step: a head's `weights` [n, n], what it does, and the likeliest words.

    `measures` holds every one of HEAD_MEASURES; `answers` the five likeliest words at a masked place with their
    probabilities.
    """

    step: int
    weights: NDArray[np.float32]
    measures: dict[str, float]
    answers: list[tuple[str, float]]


def moment(step: int, encoder: TextEncoder, text: str, layer: int, head: int, position: int) -> Moment:
    """Run a model on a text, and on the same text with the word at a position masked, all its pieces; look at one head.

    Raises:
        EncoderError: a layer, head or position that is not there, or a vocabulary without a mask.
    """
    pieces = encoder.tokenize(text)
    config, n = encoder.config, len(pieces.ids)
    for name, value, count in (
        ("layer", layer, config.n_layers),
        ("head", head, config.n_heads),
        ("position", position, n),
    ):
        if not 0 <= value < count:
            raise EncoderError(f"{name} is {value}; it must be from 0 to {count - 1}")
    if encoder.mask_token is None:
        raise EncoderError(f"the vocabulary of {encoder.source.name} has no mask, so no word can be guessed")
    word = pieces.word_of(position)
    trace, masked = encoder.trace([text, pieces.replaced(word, encoder.mask_token)])  # one forward pass
    weights = attention_weights(trace, layer)[head : head + 1]
    measures = {name: float(measure.of(weights, tokens(trace))) for name, measure in HEAD_MEASURES.items()}
    sentence = encoder.predict(masked, positions=[word[0]])
    own = weights[0].numpy().copy()
    own.flags.writeable = False
    return Moment(step, own, measures, sentence[0] if sentence else [])


def every_moment(moments: Mapping[int, TextEncoder], text: str, layer: int, head: int, position: int) -> list[Moment]:
    """Return what `moment` gives of each of these moments of a model."""
    return [moment(step, model, text, layer, head, position) for step, model in moments.items()]


def measures_of(moments: Sequence[Moment], names: Sequence[str]) -> Tensor:
    """Return some of HEAD_MEASURES of one head at each moment: [names, moments]."""
    return torch.tensor([[moment.measures[name] for moment in moments] for name in names])


@dataclass(frozen=True)
class EmbeddingRow:
    """One row of the embedding table, moment by moment: `rows` [moments, d_embedding].

    `alike` [moments] is its cosine with what it is at the end, `nearest` the three words whose rows point most nearly
    the same way at each moment.
    """

    rows: Tensor
    alike: Tensor
    nearest: tuple[list[str], ...]


def embedding_row(moments: Mapping[int, TextEncoder], token: int) -> EmbeddingRow:
    """Return the row of a token id in the table of a model at each of these moments.

    Raises:
        EncoderError: an id outside the vocabulary, or no moment.
    """
    if not moments:
        raise EncoderError("got 0 moments; it takes 1 or more")
    nearest = tuple([word for word, _ in nearest_words(moment, token, 3)] for moment in moments.values())
    rows = torch.stack([moment.model.embedding.tokens.weight[token] for moment in moments.values()])
    return EmbeddingRow(rows, cosine(rows, rows[-1]), nearest)


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
    """What is guessed at a gap: by moment the likeliest words with their probabilities, and those of some `forms`."""

    guesses: tuple[tuple[tuple[str, float], ...], ...]
    forms: Tensor  # [forms, moments]


def gap_moments(moments: Mapping[int, TextEncoder], text: str, forms: Sequence[str]) -> GapMoments:
    """Return what a model guesses at the first gap of a text at each of these moments.

    Raises:
        EncoderError: the text has no gap, or the model guesses no words.
    """
    guesses, shares = list[tuple[tuple[str, float], ...]](), list[list[float]]()
    for encoder in moments.values():
        trace = encoder.trace(text)
        if encoder.mask_token not in trace.tokens:
            raise EncoderError(f"the text has no {encoder.mask_token or 'mask'}")
        at = trace.tokens.index(encoder.mask_token)
        guess = encoder.predict(trace, FEW, [at])
        if guess is None:
            raise EncoderError(encoder.why_no_guesses)
        guesses.append(tuple(guess[0]))
        row = trace["mlm.probabilities"][at]
        shares.append([float(row[encoder.word_id(trace, at, form)]) for form in forms])
    return GapMoments(tuple(guesses), torch.tensor(shares).T)
