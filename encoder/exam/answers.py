"""Which word each head answers with, over many sentences in batches, counted on the way so that no attention is kept.

The rule is that of Clark et al. 2019, section 4: the weight to a word is the sum over its pieces, the weight from a
word the mean over them; the weight on the word itself and on special tokens is left out, and the word of the largest
weight is the answer. Read by rows, a word's answer is what it looks at most; read by columns, what looks at it most.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.links import LinkedSentence, kinds_of
from encoder.exam.simple_rules import right_by_rule
from encoder.model.linear import unpacked
from encoder.model.tap import Tap
from encoder.support.errors import EncoderError
from encoder.support.progress import progress, pulse
from encoder.trace.tokens import Tokens
from encoder.trace.words import places

CELLS = 1_000_000  # numbers of the widest step that are held at once: d_ff or H x n for each token
DIRECTIONS = ("row", "column")  # from the dependent to its governor, and from the governor to its dependent
TOO_LONG, UNREADABLE = "longer than the model reads", "with a word that the tokenizer has no piece for"


class ExamProgress(NamedTuple):
    """How far an examination is: words done and in all, and the seconds left, None as long as nothing is known."""

    done: int
    total: int
    seconds_left: float | None

    def __str__(self) -> str:
        """Say it to people."""
        left = "" if self.seconds_left is None else f", {self.seconds_left:.0f} s left"
        return f"{self.done:,} of {self.total:,} words{left}"


Report = Callable[[ExamProgress], None]


def report_nothing(progress: ExamProgress) -> None:
    """Take progress and do nothing."""


@contextmanager
def reporting(what: str, report: Report | None) -> Iterator[Report]:
    """Give what a work reports to: what its caller gave, or a bar where that is None."""
    if report is not None:
        yield report
        return
    with progress(what, "words") as hear:
        yield lambda now: hear(now.done, now.total)


class WorkWatch:
    """Tells somebody how far a work of so many words is, and how long it will still take at its speed so far."""

    def __init__(self, total: int, report: Report) -> None:
        self.total, self.report, self.done, self.start = total, report, 0, monotonic()

    def add(self, words: int) -> None:
        """Count words as done."""
        self.done += words
        spent = monotonic() - self.start
        left = spent * (self.total - self.done) / self.done if self.done else None
        self.report(ExamProgress(self.done, self.total, left))


@dataclass(frozen=True)
class Readable:
    """A sentence in the pieces of a model; `pieces` are those of each word."""

    sentence: LinkedSentence
    tokens: Tokens
    pieces: list[list[int]]


@dataclass(frozen=True)
class ExamBatch:
    """Sentences of the same number of tokens, so that nothing is padded; words are padded to the longest.

    `belongs` [B, m, n] is 1 where a token is a piece of a word, `outside` [B, m, m] is true where a word cannot be the
    answer. Of each link there are its row of the batch, `source`, `target`, and its `slot`, twice the place of its kind
    and one more in odd sentences.
    """

    readable: list[Readable]
    ids: Tensor
    belongs: Tensor
    outside: Tensor
    row: Tensor
    source: Tensor
    target: Tensor
    slot: Tensor

    @property
    def words(self) -> int:
        """Return the number of words."""
        return sum(len(sentence.pieces) for sentence in self.readable)


@dataclass(frozen=True)
class Tally:
    """How often each head was right.

    `kinds` are K kinds of links in order; `asked` [K, 2] counts the links of each in even and in odd sentences, `right`
    [K, 2, directions, layers, heads] the right answers, `distances` how often the target was how many words behind the
    source, by kind, `rules` how often each of RULES was right. `sentences` were read, `left_out` counts the others by
    the reason.
    """

    kinds: tuple[str, ...]
    asked: Tensor
    right: Tensor
    distances: dict[str, Counter[int]]
    rules: dict[str, list[int]]
    sentences: int
    left_out: dict[str, int]


class Looker(Tap):
    """Hands the answers of every head of a layer to somebody, [B, directions, H, m], while a batch passes."""

    def __init__(self, batch: ExamBatch, take: Callable[[int, Tensor], None]) -> None:
        self.batch, self.take = batch, take
        count = batch.belongs.sum(-1, keepdim=True).clamp_min(1)
        self.mean, self.sum = (batch.belongs / count)[:, None], batch.belongs.mT[:, None]

    def see(self, name: str, value: Tensor) -> Tensor:
        """Find the answers in the weights of a layer, and give every value back untouched."""
        part, _, local = name.partition(".attention.")
        if local == "weights":
            between = (self.mean @ value @ self.sum).masked_fill_(self.batch.outside[:, None], -1)
            answers = torch.stack([between.argmax(-1), between.argmax(-2)], 1)
            self.take(int(part.removeprefix("layers.")), answers)
        return value


@torch.inference_mode()
def tally(encoder: TextEncoder, sentences: Sequence[LinkedSentence], watch: WorkWatch) -> Tally:
    """Ask every head of an encoder all links of these sentences, and count its right answers.

    Sentences that are longer than the model reads, or have a word without a piece, are left out and counted.
    """
    kinds, config = kinds_of(sentences), encoder.config
    readable, left_out = read(encoder, sentences)
    watch.add(
        sum(len(sentence.words) for sentence in sentences) - sum(len(sentence.pieces) for sentence in readable)
    )  # those left out
    right = torch.zeros(2 * len(kinds), len(DIRECTIONS), config.n_layers, config.n_heads, dtype=torch.long)
    counted = torch.zeros(2 * len(kinds), dtype=torch.long)
    distances = {kind: Counter[int]() for kind in kinds}
    for batch in batches(encoder, readable, kinds):

        def count(layer: int, answers: Tensor, batch: ExamBatch = batch) -> None:
            given = answers[batch.row, :, :, batch.source]  # [links, directions, H]
            right[:, :, layer].index_add_(0, batch.slot, (given == batch.target[:, None, None]).long())

        look(encoder, batch, count)
        counted += torch.bincount(batch.slot, minlength=len(counted))
        watch.add(batch.words)
    for entry in readable:
        for kind, source, target in entry.sentence.links:
            distances[kind][target - source] += 1
    halves = (len(kinds), 2)
    return Tally(
        kinds,
        counted.view(halves),
        right.view(*halves, *right.shape[1:]),
        distances,
        right_by_rule([entry.sentence for entry in readable], kinds),
        len(readable),
        dict(left_out),
    )


@torch.inference_mode()
def head_answers(
    encoder: TextEncoder, sentences: Sequence[LinkedSentence], layer: int, head: int, direction: str
) -> list[tuple[LinkedSentence, list[int]]]:
    """Return what one head answers with at each word of the sentences that can be read, in their order."""
    readable, _ = read(encoder, sentences)
    answered = list[tuple[LinkedSentence, list[int]]]()
    for batch in batches(encoder, readable, kinds_of(sentences)):

        def keep(at: int, answers: Tensor, batch: ExamBatch = batch) -> None:
            if at == layer:
                own = answers[:, DIRECTIONS.index(direction), head].tolist()
                answered.extend(
                    (entry.sentence, row[: len(entry.pieces)]) for entry, row in zip(batch.readable, own, strict=True)
                )

        look(encoder, batch, keep)
    return sorted(answered, key=lambda answer: answer[0].number)


def look(encoder: TextEncoder, batch: ExamBatch, take: Callable[[int, Tensor], None]) -> None:
    """Run a batch through the forward pass and hand over what each layer's heads answer."""
    pulse()
    segments = encoder.segments([sentence.tokens for sentence in batch.readable])
    encoder.model(batch.ids, None, segments, Looker(batch, take))


def read(encoder: TextEncoder, sentences: Sequence[LinkedSentence]) -> tuple[list[Readable], Counter[str]]:
    """Split sentences into the pieces of a model; those that cannot be read whole are counted by the reason."""
    readable, left_out = list[Readable](), Counter[str]()
    for sentence in sentences:
        pulse()
        try:
            tokens = encoder.tokenize(" ".join(sentence.words))
            pieces = [] if tokens.dropped else places(tokens.spans, sentence.words)
        except EncoderError:
            left_out[UNREADABLE] += 1
            continue
        if pieces:
            readable.append(Readable(sentence, tokens, pieces))
        else:
            left_out[TOO_LONG] += 1
    return readable, left_out


def batches(encoder: TextEncoder, readable: Sequence[Readable], kinds: Sequence[str]) -> Iterator[ExamBatch]:
    """Put sentences of the same number of tokens together, no more at once than CELLS allows."""
    config, slots = encoder.config, {kind: 2 * i for i, kind in enumerate(kinds)}
    ordered = sorted(readable, key=lambda entry: len(entry.tokens.ids))
    start = 0
    with unpacked(encoder.model):
        while start < len(ordered):
            n = len(ordered[start].tokens.ids)
            size = max(1, CELLS // (n * max(config.d_ff, config.n_heads * n)))
            some = [entry for entry in ordered[start : start + size] if len(entry.tokens.ids) == n]
            yield batch_of(some, n, slots)
            start += len(some)


def batch_of(readable: list[Readable], n: int, slots: dict[str, int]) -> ExamBatch:
    """Put sentences of n tokens into tensors."""
    m = max(len(sentence.pieces) for sentence in readable)
    belongs = torch.zeros(len(readable), m, n)
    for row, entry in enumerate(readable):
        at = [(word, piece) for word, pieces in enumerate(entry.pieces) for piece in pieces]
        belongs[row, *torch.tensor(at).T] = 1
    there = belongs.any(-1)
    outside = ~(there[:, :, None] & there[:, None]) | torch.eye(m, dtype=torch.bool)
    links = [
        (row, source, target, slots[kind] + entry.sentence.odd)
        for row, entry in enumerate(readable)
        for kind, source, target in entry.sentence.links
    ]
    return ExamBatch(
        readable, torch.tensor([sentence.tokens.ids for sentence in readable]), belongs, outside, *torch.tensor(links).T
    )
