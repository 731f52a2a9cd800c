"""Lines as rows of tokens: several segments in a row, each with its own [CLS] and [SEP] and its positions from 0.

Which segments an epoch has, and in which order, follows from the seed and the epoch alone, so a run that was killed
goes on with the very batch that came next.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from encoder.train.training_corpus import Lines, TrainingError

AT_ONCE = 20_000  # lines handed to the tokenizer together
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TokenStream:
    """All lines as token ids, one after the other: line i is `ids[starts[i] : starts[i + 1]]`, none is empty."""

    ids: NDArray[np.int32]
    starts: Integers
    follows: NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """Rows of tokens: ids, the number of each one's segment (0: padding), its place in it; [rows, row_length] each."""

    ids: Tensor
    segments: Tensor
    places: Tensor


def encode(lines: Lines, tokenizer: Tokenizer, row_length: int) -> TokenStream:
    """Return every line as token ids without [CLS] and [SEP], cut where it is longer than a row has room for.

    Raises:
        TrainingError: no line holds a token.
    """
    most, ids, sizes, follows = row_length - 2, [], [], []
    for start in range(0, len(lines.texts), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        encoded = tokenizer.encode_batch(lines.texts[part], add_special_tokens=False)
        for line, after in zip(encoded, lines.follows[part], strict=True):
            if line.ids:
                ids.append(np.array(line.ids[:most], np.int32))
                sizes.append(len(ids[-1]))
                follows.append(after)
    if not ids:
        raise TrainingError("the corpus is empty: its lines hold no token")
    return TokenStream(np.concatenate(ids), np.concatenate(([0], np.cumsum(sizes))), np.array(follows))


@dataclass(frozen=True)
class Plan:
    """One epoch's segments in their order, as stretches of `TokenStream.ids`, and where each row begins among them."""

    starts: Integers
    lengths: Integers
    rows: Integers

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows) - 1


def segments(tokens: TokenStream, room: int, joined: float, draw: np.random.Generator) -> tuple[Integers, Integers]:
    """Where segments start and how long they are: single lines, and lines that go on with the next of a paragraph."""
    going_on = (tokens.follows & (draw.random(len(tokens.follows)) < joined)).tolist()
    bounds = tokens.starts.tolist()
    firsts = [0]
    for i in range(1, len(going_on)):
        if not going_on[i] or bounds[i + 1] - firsts[-1] > room:
            firsts.append(bounds[i])
    starts = np.array(firsts)
    return starts, np.diff(starts, append=bounds[-1])


def plan(tokens: TokenStream, row_length: int, joined: float, seed: int, epoch: int) -> Plan:
    """Return one epoch: all segments in a drawn order, each row filled until the next one does not fit."""
    draw = np.random.default_rng((seed, 1, epoch))
    starts, lengths = segments(tokens, row_length - 2, joined, draw)
    order = draw.permutation(len(starts))
    starts, lengths = starts[order], lengths[order]
    ends = np.cumsum(lengths + 2)
    rows, first = [0], 0
    while first < len(starts):
        before = ends[first - 1] if first else 0
        first = int(np.searchsorted(ends, before + row_length, "right"))
        rows.append(first)
    return Plan(starts, lengths, np.array(rows))


def packed(
    tokens: TokenStream, plan: Plan, first: int, count: int, row_length: int, specials: tuple[int, int, int]
) -> Rows:
    """Return the rows `first` to `first + count` of a plan; `specials` are the ids of [PAD], [CLS] and [SEP]."""
    pad, cls, sep = specials
    bounds = plan.rows[first : first + count + 1]
    starts, lengths = (x[bounds[0] : bounds[-1]] for x in (plan.starts, plan.lengths))
    widths = lengths + 2
    row = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))  # of each segment
    begin = np.cumsum(widths) - widths
    left = begin - begin[(bounds[:-1] - bounds[0])[row]]  # where in its row
    place = np.arange(widths.sum()) - np.repeat(begin, widths)  # of each token in its segment
    source = np.repeat(starts, widths) + place - 1
    last = np.repeat(widths, widths) - 1
    inside = tokens.ids[source.clip(0, len(tokens.ids) - 1)]
    ids = np.where(place == 0, cls, np.where(place == last, sep, inside))
    at = np.repeat(row * row_length + left, widths) + place
    shape = (len(bounds) - 1, row_length)

    def spread(values: Integers, empty: int) -> Tensor:
        flat = np.full(shape, empty, np.int64)
        flat.reshape(-1)[at] = values
        return torch.from_numpy(flat)

    number = np.repeat(np.arange(len(starts)) - (bounds[:-1] - bounds[0])[row] + 1, widths)
    return Rows(spread(ids, pad), spread(number, 0), spread(place, 0))


def batches(
    tokens: TokenStream, row_length: int, joined: float, seed: int, count: int, step: int
) -> Iterator[tuple[Plan, int]]:
    """Yield for every step from `step` on, the plan of its epoch and the first of its `count` rows.

    Raises:
        TrainingError: the corpus does not fill one batch in the first epoch; a later one that does not is left out.
    """
    epoch, passed = 0, 0
    while True:
        current = plan(tokens, row_length, joined, seed, epoch)
        here = len(current) // count
        if not here and not epoch:
            raise TrainingError(
                f"the corpus fills {len(current)} rows of {row_length} tokens, and a step takes {count}; "
                f"use --set rows={max(1, len(current))} or a larger corpus"
            )
        for i in range(max(0, step - passed), here):
            yield current, i * count
        epoch, passed = epoch + 1, passed + here
