"""What a model makes of the contexts of a head or unit without it: everything else is computed as ever."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from encoder.formatting import percent
from encoder.metrics import length
from encoder.model.tap import NO_TAP, Replacer, Tap
from encoder.pulse import pulse
from encoder.text_encoder import TextEncoder

ROWS, TOKENS = 16, 2048  # texts in one forward, and tokens in it with their padding
LONGER = 2  # times the shortest: how long a text may be that runs beside it


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

    def without(self, value: Tensor) -> Tensor:
        """The step with zeros in its place: heads [B, H, n, d_head], or units [B, n, d_ff]."""
        value = value.clone()
        value[(slice(None), self.number) if self.kind == "head" else (..., self.number)] = 0
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


class LayerInput(Tap):
    """Keeps what goes into a layer."""

    def __init__(self, layer: int) -> None:
        self.name = f"layers.{layer - 1}.output" if layer else "embedding.output"
        self.x = torch.empty(0)

    def see(self, name: str, value: Tensor) -> Tensor:
        """Note the value and give it back untouched."""
        if name == self.name:
            self.x = value
        return value


def absence(encoder: TextEncoder, part: AtlasPart, text: str, position: int) -> Absence:
    """What a part's absence does at a token of a text.

    Raises:
        ValueError: the text has no such token.
    """
    return absences(encoder, part, [(text, position)])[0]


def absences(encoder: TextEncoder, part: AtlasPart, contexts: Sequence[tuple[str, int]]) -> list[Absence]:
    """What a part's absence does at a token of each of some texts, which run some together: those of like length.

    Raises:
        ValueError: a text has no such token.
    """
    ids = [encoder.tokenize(text).ids for text, _ in contexts]
    lengths = list(map(len, ids))
    for n, (_, position) in zip(lengths, contexts, strict=True):
        if not 0 <= position < n:
            raise ValueError(f"position is {position}; this text has {n} tokens, from 0 to {n - 1}")
    found: dict[int, Absence] = {}
    for some in batches(lengths):
        pulse()
        found |= zip(some, of_batch(encoder, part, [(ids[i], contexts[i][1]) for i in some]), strict=True)
    return [found[i] for i in range(len(contexts))]


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Which texts of so many tokens run together: no more than a forward may hold, none much longer than another."""
    some: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        n = lengths[i]
        if some and (len(some) == ROWS or n * (len(some) + 1) > TOKENS or n > LONGER * lengths[some[0]]):
            yield some
            some = []
        some.append(i)
    if some:
        yield some


@torch.inference_mode()
def of_batch(encoder: TextEncoder, part: AtlasPart, some: Sequence[tuple[Sequence[int], int]]) -> list[Absence]:
    """The same of the ids of some texts, padded to the longest; without the part all begins where its layer does."""
    lengths, at = [len(ids) for ids, _ in some], [position for _, position in some]
    every = range(len(some))
    ids = pad_sequence([torch.tensor(ids) for ids, _ in some], batch_first=True, padding_value=encoder.pad_id)
    mask = encoder.mask(lengths, max(lengths), ())
    into = LayerInput(part.layer)
    before = encoder.model(ids, mask, None, into)  # [B, n, d_model]
    after = encoder.model.resume(into.x, part.layer, mask, Replacer({part.step: part.without}, NO_TAP))
    moved = length(after - before) / length(before).clamp_min(1e-30)  # [B, n]
    guesses = [guessed(encoder, x[every, at]) for x in (before, after)]
    return [
        Absence(float(row[i]), float((row[:n].sum() - row[i]) / max(1, n - 1)), was, now)
        for row, n, i, was, now in zip(moved, lengths, at, *guesses, strict=True)
    ]


def guessed(encoder: TextEncoder, vectors: Tensor) -> list[tuple[str, float] | None]:
    """The likeliest word for each of some last vectors [B, d_model], with its probability."""
    logits = encoder.model.predict(vectors[None])
    if logits is None:
        return [None] * len(vectors)
    shares, words = logits[0].softmax(-1).max(-1)
    return [
        (encoder.tokenizer.id_to_token(word) or f"#{word}", share)
        for word, share in zip(words.tolist(), shares.tolist(), strict=True)
    ]


def summed_up(absences: Sequence[Absence]) -> str:
    """What becomes of some tokens without a part, in a sentence."""
    moved, elsewhere = (percent(median(getattr(one, name) for one in absences)) for name in ("moved", "elsewhere"))
    said = f"Without it the last vectors of these {len(absences)} tokens move by {moved} of their length (the median), "
    said += f"those of the other tokens beside them by {elsewhere}"
    if absences[0].before is not None:
        said += f"; the guess turns at {sum(one.turned for one in absences)} of the {len(absences)}"
    return f"{said}."
