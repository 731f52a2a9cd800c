"""What each layer's vectors tell of words and sentences, by a probe per layer, and what the probe tells without them.

A probe that does well may only have learned the words by heart. So each has a control task (Hewitt and Liang 2019): the
same vectors, with a class for each word that was drawn once, the same wherever the word stands. What the probe does
better on the true task than on that one, the vectors tell.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.probes.regression import Regression, fit
from encoder.metrics import stream
from encoder.metrics.head_measures import runs
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.support.errors import EncoderError, seeded
from encoder.support.progress import pulse, shares
from encoder.trace.trace import Trace
from encoder.trace.words import places

FILE = Path(__file__).with_name("labelled.txt")
TAGS = {
    "N": "noun",
    "V": "verb",
    "A": "adjective",
    "R": "adverb",
    "P": "pronoun",
    "D": "determiner",
    "I": "preposition",
    "C": "conjunction",
}
MOODS = {"+": "good", "-": "bad"}


class Labelled(NamedTuple):
    """A sentence, which of MOODS it is, its words, and which of TAGS each of them is here; both counted from 0."""

    text: str
    mood: int
    words: tuple[str, ...]
    tags: tuple[int, ...]


@cache
def labelled() -> tuple[Labelled, ...]:
    """Return two hundred short sentences, written for this project and from no corpus, with what a probe is taught.

    They stand in labelled.txt, one a line: + or - for a good or a bad experience, then every word with its part of
    speech. Numbers 2 k and 2 k + 1 are of nearly the same words, so that no single frequent word gives the answer away.
    """
    return tuple(map(read, FILE.read_text(encoding="utf-8").splitlines()))


def read(line: str) -> Labelled:
    """One line of the file."""
    mood, *pairs = line.split()
    words, tags = zip(*(pair.split("/") for pair in pairs), strict=True)
    return Labelled(f"{' '.join(words)}.", [*MOODS].index(mood), words, tuple([*TAGS].index(tag) for tag in tags))


FOLDS = 4  # each sentence is tested by a probe that has not seen it, nor the one that differs from it by a word
OF_SENTENCES = ("good or bad",)  # tasks whose samples are whole sentences
SEARCH = 1500  # what takes as long as the steps of a fit, in float64, for each number of a sample and class
CHUNKS = ("outside", "begins", "goes on")  # of a phrase of a noun
PHRASE = re.compile("D?[AR]*(?<!R)N+|P")  # in parts of speech: a determiner, adjectives with their adverbs, nouns
PLACES = 8  # classes of a word's place; the last one stands for all further words


@dataclass(frozen=True)
class Samples:
    """The vectors of all labelled sentences: `words` [n_layers + 1, words, d_model] and `sentences`, their means.

    `sentence_of` [words] is the sentence that each word stands in.
    """

    words: Tensor
    sentences: Tensor
    sentence_of: Tensor

    def vectors(self, task: str, layer: int) -> Tensor:
        """What a task is read from in a layer: [samples, d_model]."""
        return (self.sentences if task in OF_SENTENCES else self.words)[layer]


@dataclass(frozen=True)
class Task:
    """What a probe is taught: a class for each sample.

    `control` are the drawn classes; `sentence_of` tells which sentence each sample belongs to.
    """

    labels: Tensor
    control: Tensor
    sentence_of: Tensor
    classes: int


@dataclass(frozen=True)
class Probe:
    """How many of `samples` a probe tells right, by layer: the vectors before the first one come first, [n_layers + 1].

    `accuracy` is that of the task, `control` that of the control task. `commonest` is the share of the most frequent
    class: what a guess that never looks gets right.
    """

    accuracy: Tensor
    control: Tensor
    commonest: float
    samples: int

    @property
    def never_looks(self) -> Tensor:
        """What a guess that never looks gets right, the same in every layer: [n_layers + 1]."""
        return torch.full_like(self.accuracy, self.commonest)

    @property
    def error(self) -> Tensor:
        """The standard error of `accuracy`: [n_layers + 1]."""
        return (self.accuracy * (1 - self.accuracy) / self.samples).sqrt()

    @property
    def best(self) -> int:
        """The first layer that is within one standard error of the best; 0 is the input."""
        top = int(self.accuracy.argmax())
        return int((self.accuracy >= self.accuracy[top] - self.error[top]).nonzero()[0])


def samples(encoder: TextEncoder, layers: Sequence[int] | None = None) -> Samples:
    """Run the labelled sentences; a word of several pieces is their mean, a sentence the mean of its words.

    `layers` are those that are kept, 0 for the input; all without it.

    Raises:
        EncoderError: the tokenizer gives a word no piece.
    """
    every = labelled()
    known = {sentence.text: i for i, sentence in enumerate(every)}
    kept = list(range(encoder.config.n_layers + 1) if layers is None else layers)
    words: list[Tensor] = [torch.empty(0)] * len(every)
    for trace in runs(encoder, [sentence.text for sentence in every]):
        i, vectors = known[trace.text], stream(trace)[kept]
        pieces_of = places(trace.tokenization.spans, every[i].words)
        words[i] = torch.stack([vectors[:, pieces].mean(1) for pieces in pieces_of], 1)
    return Samples(
        torch.cat(words, 1),
        torch.stack([word.mean(1) for word in words], 1),
        torch.tensor([i for i, sentence in enumerate(every) for _ in sentence.words]),
    )


def tags(result: Samples) -> Task:
    """The part of speech of each word; the control draws one for each word of the vocabulary."""
    labels = torch.tensor([tag for sentence in labelled() for tag in sentence.tags])
    return Task(labels, drawn(labels), result.sentence_of, len(TAGS))


def positions(result: Samples) -> Task:
    """The place of each word in its sentence, counted from 0; the control draws one for each word of the vocabulary."""
    labels = torch.tensor([min(place, PLACES - 1) for sentence in labelled() for place in range(len(sentence.words))])
    return Task(labels, drawn(labels), result.sentence_of, PLACES)


def phrases(result: Samples) -> Task:
    """Whether a word stands outside all phrases of a noun, begins one or goes on with one: [words].

    A phrase is a noun, or several, with the determiner and the adjectives before it; a pronoun is one by itself.
    """
    labels = torch.tensor(
        [label for sentence in labelled() for label in chunked([[*TAGS][tag] for tag in sentence.tags])]
    )
    return Task(labels, drawn(labels), result.sentence_of, len(CHUNKS))


def chunked(tags: Sequence[str]) -> list[int]:
    """The place of each word in CHUNKS, by the letters of parts of speech in a sentence."""
    result = [CHUNKS.index("outside")] * len(tags)
    for phrase in PHRASE.finditer("".join(tags)):
        at, end = phrase.span()
        result[at:end] = [CHUNKS.index("begins"), *[CHUNKS.index("goes on")] * (end - at - 1)]
    return result


def drawn(labels: Tensor, seed: int = 0) -> Tensor:
    """A class for each word of the vocabulary, drawn among those that there are: the same wherever the word stands."""
    draw = seeded(seed)
    words = [word.lower() for sentence in labelled() for word in sentence.words]
    lot = {word: int(labels[torch.randint(len(labels), (), generator=draw)]) for word in dict.fromkeys(words)}
    return torch.tensor([lot[word] for word in words])


def moods(result: Samples, seed: int = 0) -> Task:
    """Whether a sentence tells of something good or bad; the control follows from its words alone.

    Each word of the vocabulary draws a number, and a sentence is of one class or the other as the mean over its words
    is above that of most sentences or below: what can be told by who knows the words by heart.
    """
    every = labelled()
    draw, vocabulary = seeded(seed), {word.lower() for sentence in every for word in sentence.words}
    lot = {word: float(torch.randn((), generator=draw)) for word in sorted(vocabulary)}
    means = torch.tensor(
        [sum(lot[word.lower()] for word in sentence.words) / len(sentence.words) for sentence in every]
    )
    labels = torch.tensor([sentence.mood for sentence in every])
    return Task(labels, (means > means.median()).long(), torch.arange(len(labels)), len(MOODS))


# What a probe may be taught: grammar, meaning, and what is left of the positions.
TASKS: dict[str, Callable[[Samples], Task]] = {
    "parts of speech": tags,
    "phrases": phrases,
    "good or bad": moods,
    "place": positions,
}
READ = ("parts of speech", "good or bad")  # tasks that are of use on other sentences
MEASURED: WeakKeyDictionary[Encoder, dict[str, Probe]] = WeakKeyDictionary()


def probe(encoder: TextEncoder, task: str, progress: Callable[[float], None] | None = None) -> Probe:
    """A task of TASKS and its control task, probed in every layer; kept for as long as the model is.

    Raises:
        EncoderError: there is no such task, or the tokenizer gives a word no piece.
    """
    if task not in TASKS:
        raise EncoderError(f"there is no task {task!r}; the tasks are {', '.join(TASKS)}")
    kept = MEASURED.setdefault(encoder.model, {})
    if task not in kept:
        read, scores = samples(encoder), list[tuple[float, float]]()
        asked = TASKS[task](read)
        with shares("probe", progress) as tell:
            for layer in range(len(read.words)):
                pulse()
                x = read.vectors(task, layer)
                scores.append((accuracy(x, asked.labels, asked), accuracy(x, asked.control, asked)))
                tell((layer + 1) / len(read.words))
        kept[task] = scored(scores, asked.labels)
    return kept[task]


def probe_flops(config: EncoderConfig, task: str) -> float:
    """About what takes as long as the fits of `probe`, in operations of a run; its runs come on top."""
    count, classes = (200, len(MOODS)) if task in OF_SENTENCES else (1300, len(TAGS))
    width = min(config.d_model, count)
    turned = width / 10 if count < config.d_model else 0  # to as many dimensions as there are samples
    return (config.n_layers + 1) * 2 * FOLDS * SEARCH * count * width * (classes + turned)


def scored(both: Sequence[tuple[float, float]], labels: Tensor) -> Probe:
    """The outcome of a task and its control, layer by layer."""
    accuracies, controls = torch.tensor(both, dtype=torch.float64).T
    return Probe(accuracies, controls, float(labels.bincount().max() / len(labels)), len(labels))


def folds(sentence_of: Tensor) -> list[Tensor]:
    """Which samples each fold tests: [samples] of bool; two sentences of nearly the same words are in one fold."""
    return [(sentence_of // 2) % FOLDS == fold for fold in range(FOLDS)]


def accuracy(x: Tensor, labels: Tensor, task: Task) -> float:
    """The share of samples told right by probes that were fitted to the other folds: x [samples, d]."""
    right = 0
    for tested in folds(task.sentence_of):
        fitted = fit(x[~tested], labels[~tested], task.classes)
        right += int((fitted.shares(x[tested]).argmax(-1) == labels[tested]).sum())
    return right / len(labels)


def readers(encoder: TextEncoder, layer: int) -> dict[str, Regression]:
    """A probe for each of READ, fitted to all labelled sentences after so many layers, to be used on other sentences.

    Raises:
        EncoderError: there is no such layer, or the tokenizer gives a word no piece.
    """
    if not 0 <= layer <= encoder.config.n_layers:
        raise EncoderError(f"there are no {layer} layers; this model has {encoder.config.n_layers}")
    read, result = samples(encoder, layers=(layer,)), {}
    for name in READ:
        asked = TASKS[name](read)
        result[name] = fit(read.vectors(name, 0), asked.labels, asked.classes)
    return result


def words_of(trace: Trace) -> list[tuple[int, ...]]:
    """The words of a run that a reader is for: no special tokens, no punctuation; the pieces of each."""
    pieces = trace.tokenization
    marks = pieces.special
    return [w for w in pieces.words if not marks[w[0]] and any(c.isalnum() for c in pieces.spelled(w))]


def read_words(trace: Trace, fitted: Regression, layer: int) -> Tensor:
    """The probability of each class for each word of a run, [words, k], from its vectors after so many layers."""
    vectors = stream(trace)[layer]
    return fitted.shares(torch.stack([vectors[list(w)].mean(0) for w in words_of(trace)]))


def read_sentence(trace: Trace, fitted: Regression, layer: int) -> Tensor:
    """The same for the whole sentence, the mean of its words: [k]."""
    vectors = stream(trace)[layer]
    return fitted.shares(torch.stack([vectors[list(w)].mean(0) for w in words_of(trace)]).mean(0))
