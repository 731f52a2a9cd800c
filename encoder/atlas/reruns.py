"""Contexts of an atlas run again: a stored number against the live one, and what a model makes of them without a part.

The part is a head or a unit; everything else is computed as ever.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

import torch
from torch import Tensor

from encoder.atlas.atlas_reader import Firing
from encoder.atlas.corpus import AtlasError
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import length
from encoder.metrics.flows import norm_weighted
from encoder.model.tap import NO_TAP, Replacer
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent
from encoder.support.progress import pulse
from encoder.trace.tokens import Text, Tokens
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights

CLOSE = 1e-5  # of the larger of 1 and the value
TOKENS = 192  # of texts that run as one row: each looks at itself alone, but all pay for the square of their tokens


@dataclass(frozen=True)
class Compared:
    """A number as it is stored and as it is now."""

    name: str
    stored: float
    live: float

    @property
    def equal(self) -> bool:
        """Whether they differ by rounding alone."""
        return abs(self.stored - self.live) <= CLOSE * max(1.0, abs(self.live))

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        apart = brief(abs(self.stored - self.live))
        if self.equal:
            return f"{self.name}: stored {self.stored:.6g}, live {self.live:.6g}. They are the same, {apart} apart."
        return f"{self.name}: stored {self.stored:.6g}, live {self.live:.6g}. They differ by {apart}: do not trust it."


def of_head(trace: Trace, layer: int, head: int, firing: Firing) -> list[Compared]:
    """Return a head's weight and what it writes, from the query of a context to the token that it looks at.

    Raises:
        AtlasError: the run has no such token.
    """
    key = firing.looks_at or 0
    check(trace, firing.position, key)
    weight = float(attention_weights(trace, layer)[head, firing.position, key])
    written = float(norm_weighted(trace, layer, slice(head, head + 1))[0, firing.position, key])
    return [Compared("Weight", firing.weight, weight), Compared("Written", firing.written, written)]


def of_unit(trace: Trace, layer: int, unit: int, firing: Firing) -> list[Compared]:
    """Return a unit's activation at the token of a context.

    Raises:
        AtlasError: the run has no such token.
    """
    check(trace, firing.position)
    return [
        Compared(
            "Activation", firing.value, float(trace[f"layers.{layer}.feed_forward.activation"][firing.position, unit])
        )
    ]


def check(trace: Trace, *positions: int) -> None:
    """Refuse positions that a run does not have."""
    n = len(trace.tokens) - trace.padding
    if outside := [position for position in positions if not 0 <= position < n]:
        raise AtlasError(f"this run has {n} tokens, and the context is at number {outside[0]}: the text was cut here")


@dataclass(frozen=True)
class AtlasPart:
    """A head or a feed-forward unit, by its layer and number."""

    kind: str  # "head" or "unit"
    layer: int
    number: int

    @property
    def step(self) -> str:
        """Where it is computed."""
        return f"layers.{self.layer}." + {"head": "attention.heads", "unit": "feed_forward.activation"}[self.kind]

    def both(self, value: Tensor) -> Tensor:
        """The step as it is and with zeros in its place: heads [1, H, n, d_head] or units [1, n, d_ff] -> [2, ...]."""
        value = value.repeat(2, *[1] * (value.dim() - 1))
        value[(1, self.number) if self.kind == "head" else (1, ..., self.number)] = 0
        return value


@dataclass(frozen=True)
class Absence:
    """What becomes of a token's last vector without a part.

    `moved` is the length of the change over the vector's own, `elsewhere` the mean of that over the sentence's other
    tokens. The guesses are the likeliest word there and its probability, with the part and without it; None without a
    masked language model head.
    """

    moved: float
    elsewhere: float
    before: tuple[str, float] | None
    after: tuple[str, float] | None

    @property
    def turned(self) -> bool:
        """Whether the likeliest word is another."""
        return self.before is not None and self.after is not None and self.before[0] != self.after[0]


def absence(encoder: TextEncoder, part: AtlasPart, text: Text, position: int) -> Absence:
    """Return what a part's absence does at a token of a text, or of a pair.

    Raises:
        EncoderError: the text has no such token.
    """
    return absences(encoder, part, [(text, position)])[0]


def absences(encoder: TextEncoder, part: AtlasPart, contexts: Sequence[tuple[Text, int]]) -> list[Absence]:
    """Return what a part's absence does at a token of each of some texts, of which several run at a time.

    Raises:
        EncoderError: a text has no such token.
    """
    pieces = [encoder.tokenize(text) for text, _ in contexts]
    lengths = [len(tokens.ids) for tokens in pieces]
    for n, (_, position) in zip(lengths, contexts, strict=True):
        if not 0 <= position < n:
            raise EncoderError(f"position is {position}; this text has {n} tokens, from 0 to {n - 1}")
    results: list[Absence] = []
    for some in packs(lengths, min(TOKENS, encoder.config.max_positions)):
        pulse()
        results += of_pack(encoder, part, [(pieces[i], contexts[i][1]) for i in some])
    return results


def packs(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Which texts of so many tokens run together, in their order: no more than `tokens`, or one that is longer."""
    some: list[int] = []
    held = 0
    for i, n in enumerate(lengths):
        if some and held + n > tokens:
            yield some
            some, held = [], 0
        some.append(i)
        held += n
    if some:
        yield some


@torch.inference_mode()
def of_pack(encoder: TextEncoder, part: AtlasPart, some: Sequence[tuple[Tokens, int]]) -> list[Absence]:
    """The same of the tokens of some texts, one after another in a row without padding, where each sees itself alone.

    Up to the part there is one row; from it on there are two, with the part and without it.
    """
    lengths = [len(tokens.ids) for tokens, _ in some]
    every = [encoder.model.embedding(torch.tensor([tokens.ids]), encoder.segments([tokens])) for tokens, _ in some]
    x = torch.cat(every, 1)  # [1, n, d_model]
    text = torch.repeat_interleave(torch.tensor(lengths))
    others = text != text[:, None] if len(some) > 1 else None  # [n, n]
    tap = Replacer({part.step: part.both}, NO_TAP)
    before, after = encoder.model.resume(x, 0, None if others is None else others[None], tap)  # [n, d_model]
    moved = (length(after - before) / length(before).clamp_min(1e-30)).split_with_sizes(lengths)
    at = [start + i for start, (_, i) in zip(accumulate(lengths, initial=0), some, strict=False)]
    guesses = [guessed(encoder, x[at]) for x in (before, after)]
    return [
        Absence(float(row[i]), float((row.sum() - row[i]) / max(1, len(row) - 1)), was, now)
        for row, (_, i), was, now in zip(moved, some, *guesses, strict=True)
    ]


def guessed(encoder: TextEncoder, vectors: Tensor) -> list[tuple[str, float] | None]:
    """Return the likeliest word for each of some last vectors [B, d_model], with its probability."""
    logits = encoder.model.predict(vectors[None])
    if logits is None:
        return [None] * len(vectors)
    shares, words = logits[0].softmax(-1).max(-1)
    return [
        (encoder.tokenizer.id_to_token(word) or f"#{word}", share)
        for word, share in zip(words.tolist(), shares.tolist(), strict=True)
    ]


def summed_up(absences: Sequence[Absence]) -> str:
    """Return what becomes of some tokens without a part, in a sentence."""
    moved, elsewhere = (
        percent(median(getattr(absence, name) for absence in absences)) for name in ("moved", "elsewhere")
    )
    summary = (
        f"Without it the last vectors of these {len(absences)} tokens move by {moved} of their length (the median), "
    )
    summary += f"those of the other tokens beside them by {elsewhere}"
    if absences[0].before is not None:
        summary += f"; the guess turns at {sum(absence.turned for absence in absences)} of the {len(absences)}"
    return f"{summary}."
