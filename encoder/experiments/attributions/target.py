"""The one number that an attribution explains: a guess's logit, or by how much it leads another's."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.editor import editor
from encoder.experiments.common import given
from encoder.explain.cost import size
from encoder.metrics.answer import answer_scores, answers, at_place
from encoder.model.tap import NO_TAP, Recorder
from encoder.support.errors import EncoderError
from encoder.support.progress import pulse
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

ROWS = 10  # runs in one forward, at most
MOST_BYTES = 5e8  # that one run with its gradients may hold
WHILE_DIFFERENTIATED = 2.0  # what a run holds for its gradients, over what it holds when it is recorded


@dataclass(frozen=True)
class Target:
    """The logit of `word` (an id) at a position; with `against`, minus the logit of that other word.

    Of a model that names labels `word` is one of these, by its number, and the position of a sentence's is
    `encoder.metrics.answer.SENTENCE`.
    """

    position: int
    word: int
    against: int | None = None

    @property
    def words(self) -> tuple[int, ...]:
        """The word, and the one that it is held against."""
        return (self.word,) if self.against is None else (self.word, self.against)

    def of(self, logits: Tensor) -> Tensor:
        """The number, from logits [..., n, vocab]: [...]."""
        at = at_place(logits, self.position)
        return at[..., self.word] if self.against is None else at[..., self.word] - at[..., self.against]

    def check(self, encoder: TextEncoder, trace: Trace) -> None:
        """Refuse a run or a word that cannot be explained.

        Raises:
            EncoderError: a trace of another model, a model without an MLM head, a position or word that is not
                there, or a run whose number is none.
        """
        encoder.check_own(trace)
        how = answers(encoder.config)
        if not how.part:
            raise EncoderError(
                f"{encoder.source.name!r} has no MLM head, so it guesses no word that could be explained"
            )
        how.check(self.position, len(tokens(trace)))
        what = "word" if how.labels is None else "label"
        for word in self.words:
            if not 0 <= word < how.count:
                raise EncoderError(f"{what} is {word}; {what}s go from 0 to {how.count - 1}")
        value = float(self.of(trace[f"{how.part}.logits"]))
        if not math.isfinite(value):
            raise EncoderError(f"the logit is {value} in this run; only a number can be shared out")


@dataclass(frozen=True)
class Logits:
    """The logits of several `words` (ids), or labels, at a position."""

    position: int
    words: tuple[int, ...]

    def of(self, logits: Tensor) -> Tensor:
        """The numbers, from logits [..., n, vocab]: [..., words]."""
        return at_place(logits, self.position)[..., list(self.words)]


@dataclass(frozen=True)
class Forward:
    """The forward pass of a run's sentence, with its edits and hidden tokens, from given token rows on.

    `rows` [n, d_embedding] are what the embedding table holds for the sentence's own tokens, before any edit.

    Raises:
        EncoderError: the text is too long for this model: its gradients would take more than MOST_BYTES.
    """

    encoder: TextEncoder
    trace: Trace

    @property
    def rows(self) -> Tensor:
        """The table's rows for the tokens of the sentence, [n, d_embedding]."""
        ids = torch.tensor(self.trace.ids[: len(tokens(self.trace))])
        return self.encoder.model.embedding.tokens.weight.detach()[ids]

    def __post_init__(self) -> None:
        """Refuse a text whose gradients would fill the memory."""
        if self.bytes_each > MOST_BYTES:
            raise EncoderError(
                f"the gradients of {len(tokens(self.trace))} tokens take {self.bytes_each / 1e6:,.0f} MB, more than "
                f"{MOST_BYTES / 1e6:,.0f}; take a shorter text"
            )

    @property
    def bytes_each(self) -> float:
        """About what one set of rows takes on its way, with what its gradient needs."""
        return WHILE_DIFFERENTIATED * size(self.encoder.config).bytes_of_a_run(len(tokens(self.trace)))

    @property
    def together(self) -> int:
        """How many sets of rows may go through at once."""
        return int(min(ROWS, max(1, MOST_BYTES / 4 / self.bytes_each)))

    def __call__(self, rows: Tensor, target: Target | Logits, seen: dict[str, Tensor] | None = None) -> Tensor:
        """The target for each of several sets of token rows: [B, n, d_embedding] -> [B], of logits [B, words].

        `seen`, where it is given, takes every step of the pass by its name. Gradients flow where the rows ask for them.
        """
        pulse()
        trace, model = self.trace, self.encoder.model
        count, n = rows.shape[:2]
        ids = torch.tensor(trace.ids[:n]).expand(count, n)
        segments = torch.tensor(trace.segments[:n]).expand(count, n) if any(trace.segments[:n]) else None
        runs = self.encoder.runs_to_patch_from(trace.edits)
        then = NO_TAP if seen is None else Recorder(seen, {})
        edited = editor(model.config, [(n, trace.edits)] * count, runs, then)
        tap = given({"embedding.tokens": rows}, edited)
        hidden = self.encoder.mask([n] * count, n, trace.hidden)
        scores = answer_scores(model, model(ids, hidden, segments, tap), hidden, tap)
        return target.of(scores).clone()  # a view of them would hold them all


@contextmanager
def differentiable() -> Iterator[None]:
    """For the block, gradients are kept, whatever the caller has set."""
    with torch.inference_mode(False), torch.enable_grad():
        yield


def gradients(forward: Forward, rows: Tensor, target: Target) -> tuple[Tensor, Tensor]:
    """The target [B] and its gradient [B, n, d_embedding] at several sets of token rows."""
    with differentiable():
        leaves = rows.clone().requires_grad_()
        values = forward(leaves, target)
        (slopes,) = torch.autograd.grad(values.sum(), leaves)
    return values.detach(), slopes


def whole_words(trace: Trace) -> list[tuple[int, ...]]:
    """The positions of the pieces of each word of a run, [PAD] left out."""
    n = len(tokens(trace))
    words = [tuple(i for i in word if i < n) for word in trace.tokenization.words]
    return [word for word in words if word]


def word_shares(trace: Trace, shares: Sequence[Tensor]) -> Tensor:
    """The sums of several shares [n] of tokens over each word's pieces, which keep their sum: [k, words] in float64."""
    words = whole_words(trace)
    return torch.stack([torch.stack([of[list(word)].double().sum() for word in words]) for of in shares])


def spearman(a: Sequence[float] | Tensor, b: Sequence[float] | Tensor) -> float:
    """Rank agreement from -1 to 1 (Spearman); equal values share their mean rank; nan where one side is all equal."""
    left, right = (ranks(torch.as_tensor(values, dtype=torch.float64)) for values in (a, b))
    left, right = left - left.mean(), right - right.mean()
    return float((left @ right) / (left.norm() * right.norm()))


def ranks(values: Tensor) -> Tensor:
    """The rank of every value [k] from 0, the mean rank for equal ones."""
    below = (values[:, None] > values).sum(-1).double()
    equal = (values[:, None] == values).sum(-1).double()
    return below + (equal - 1) / 2
