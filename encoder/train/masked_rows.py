"""From lines of text to batches with hidden words.

A row holds several segments, each with its own [CLS] and [SEP] and its positions from 0. Which rows a step has follows
from seed and epoch, and which words are hidden (Devlin et al. 2019, section 3.1; whole words) from seed and step: a run
that was killed goes on with the very batch that came next, however many processes share it.
"""

from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.train.recipe import Recipe
from encoder.train.vocabulary import SPECIAL, TrainingError

EVERY, MOST = 20, 2000  # one line in so many is held out, and so many of a file at most
AT_ONCE = 20_000  # lines handed to the tokenizer together
MASKED, RANDOM = 0.8, 0.1  # of the hidden tokens; the rest stays as it is
SCORED_SEED, SCORED_SHARE, SCORED_ROWS = 1, 0.15, 32  # of held-out lines: what is hidden, and rows run together
Integers = NDArray[np.int64]


class Lines(NamedTuple):
    """Lines of text in their order; `follows` says whether a line stands right after the one before it."""

    texts: list[str]
    follows: list[bool]


def read(path: Path) -> Lines:
    """Return the lines of a file in UTF-8 that hold text; an empty line ends a paragraph.

    Raises:
        TrainingError: it is not UTF-8; the message names the line.
    """
    raw = path.read_bytes()
    try:
        lines = [line.strip() for line in raw.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise TrainingError(f"{path} is not UTF-8 in line {number:,}; save the file as UTF-8") from error
    pairs = [(line, bool(before)) for before, line in pairwise(["", *lines]) if line]
    return Lines([text for text, _ in pairs], [follows for _, follows in pairs])


def hold_out(lines: Lines) -> tuple[Lines, list[str]]:
    """Return the lines to learn from, and those held out: every 20th, at most 2,000, none that is also learned from."""
    held = set(range(EVERY - 1, len(lines.texts), EVERY)[:MOST])
    left = [i for i in range(len(lines.texts)) if i not in held]
    learned = Lines([lines.texts[i] for i in left], [lines.follows[i] and i - 1 not in held for i in left])
    texts = set(learned.texts)
    return learned, [lines.texts[i] for i in sorted(held) if lines.texts[i] not in texts]


def divided(paths: Sequence[Path]) -> tuple[Lines, list[str]]:
    """Return what to learn from in several files, and what is held out of each.

    Raises:
        TrainingError: a file is not UTF-8, or there are too few lines to hold some out.
    """
    parts = [hold_out(read(path)) for path in paths]
    lines = Lines([text for part, _ in parts for text in part.texts], [f for part, _ in parts for f in part.follows])
    held = [text for _, texts in parts for text in texts]
    if not held:
        raise TrainingError(f"the corpus has {len(lines.texts)} lines, too few to hold some out; use a larger one")
    return lines, held


class TokenStream(NamedTuple):
    """All lines as token ids, one after the other: line i is `ids[starts[i] : starts[i + 1]]`, none is empty."""

    ids: NDArray[np.int32]
    starts: Integers
    follows: NDArray[np.bool_]


def encode(lines: Lines, tokenizer: Tokenizer, row_length: int) -> TokenStream:
    """Return every line as token ids without [CLS] and [SEP], cut where it is longer than a row has room for.

    Raises:
        TrainingError: no line holds a token.
    """
    ids: list[NDArray[np.int32]] = []
    for start in range(0, len(lines.texts), AT_ONCE):
        encoded = tokenizer.encode_batch(lines.texts[start : start + AT_ONCE], add_special_tokens=False)
        ids += [np.array(line.ids[: row_length - 2], np.int32) for line in encoded]
    sizes = np.array([len(line) for line in ids], np.int64)
    if not sizes.any():
        raise TrainingError("the corpus is empty: its lines hold no token")
    starts = np.concatenate(([0], np.cumsum(sizes[sizes > 0])))
    return TokenStream(np.concatenate(ids), starts, np.array(lines.follows)[sizes > 0])


class Epoch(NamedTuple):
    """One epoch's segments in their order, as stretches of `TokenStream.ids`, and where each row begins among them."""

    starts: Integers
    lengths: Integers
    rows: Integers


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


def epoch_of(tokens: TokenStream, row_length: int, joined: float, seed: int, number: int) -> Epoch:
    """Return one epoch: all segments in a drawn order, each row filled until the next one does not fit."""
    draw = np.random.default_rng((seed, 1, number))
    starts, lengths = segments(tokens, row_length - 2, joined, draw)
    order = draw.permutation(len(starts))
    starts, lengths = starts[order], lengths[order]
    ends = np.cumsum(lengths + 2)
    rows = [0]
    while rows[-1] < len(starts):
        before = ends[rows[-1] - 1] if rows[-1] else 0
        rows.append(int(np.searchsorted(ends, before + row_length, "right")))
    return Epoch(starts, lengths, np.array(rows))


class Vocabulary:
    """What hiding words needs to know of a tokenizer: some ids, which ids are special, and which go on a word.

    Raises:
        EncoderError: the tokenizer lacks a special token.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        pieces = tokenizer.get_vocab()
        if lacking := [token for token in SPECIAL if token not in pieces]:
            raise EncoderError(f"the tokenizer has no {', '.join(lacking)}; training needs {', '.join(SPECIAL)}")
        self.pad, _, self.cls, self.sep, self.mask = (pieces[token] for token in SPECIAL)
        numbers = range(tokenizer.get_vocab_size())
        self.special = torch.tensor([i in (self.pad, self.cls, self.sep, self.mask) for i in numbers])
        self.goes_on = torch.tensor([(tokenizer.id_to_token(i) or "").startswith("##") for i in numbers])


class Batch(NamedTuple):
    """Rows with hidden words: ids, segments (0: padding) and places in a segment are [rows, n].

    `at` [hidden] says where the hidden words are, counted through all rows, and `labels` [hidden] which they are.
    """

    ids: Tensor
    segments: Tensor
    places: Tensor
    at: Tensor
    labels: Tensor

    def cut(self, index: int, pieces: int) -> "Batch":
        """Return one of so many pieces, by rows."""
        size, n = self.ids.shape
        part = slice(index * size // pieces, (index + 1) * size // pieces)
        inside = (self.at >= part.start * n) & (self.at < part.stop * n)
        ids, segments, places = (x[part] for x in (self.ids, self.segments, self.places))
        return Batch(ids, segments, places, self.at[inside] - part.start * n, self.labels[inside])


def packed(tokens: TokenStream, epoch: Epoch, first: int, rows: int, n: int, words: Vocabulary) -> tuple[Tensor, ...]:
    """Return ids, segments and places of the rows `first` to `first + rows` of an epoch, [rows, n] each."""
    bounds = epoch.rows[first : first + rows + 1]
    starts, widths = epoch.starts[bounds[0] : bounds[-1]], epoch.lengths[bounds[0] : bounds[-1]] + 2
    row = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))  # of each segment
    opening = (bounds[:-1] - bounds[0])[row]  # the first segment of its row
    begin = np.cumsum(widths) - widths
    place = np.arange(widths.sum()) - np.repeat(begin, widths)  # of each token in its segment
    inside = tokens.ids[(np.repeat(starts, widths) + place - 1).clip(0, len(tokens.ids) - 1)]
    ids = np.where(place == 0, words.cls, np.where(place == np.repeat(widths, widths) - 1, words.sep, inside))
    at = np.repeat(row * n + begin - begin[opening], widths) + place

    def spread(values: Integers, empty: int) -> Tensor:
        flat = np.full((len(bounds) - 1) * n, empty, np.int64)
        flat[at] = values
        return torch.from_numpy(flat).view(-1, n)

    return spread(ids, words.pad), spread(np.repeat(np.arange(len(starts)) - opening + 1, widths), 0), spread(place, 0)


def choose(ids: Tensor, words: Vocabulary, share: float, draw: np.random.Generator) -> Tensor:
    """Return where a token is to be guessed, [rows, n]: each word with probability `share`, all its pieces or none.

    At least one word is chosen where there is any.
    """
    ordinary = ~words.special[ids].flatten()
    word = (~words.goes_on[ids]).flatten().cumsum(0) - 1  # the number of each token's word
    drawn = torch.from_numpy(draw.random(int(word[-1]) + 1))
    least = drawn[word][ordinary].amin() if bool(ordinary.any()) else torch.zeros(())
    chosen = (drawn < share) | (drawn == least)
    return (chosen[word] & ordinary).view_as(ids)


def hide(ids: Tensor, chosen: Tensor, words: Vocabulary, draw: np.random.Generator) -> Tensor:
    """Return the ids with chosen tokens replaced: 80 % by [MASK], 10 % by any ordinary token, 10 % left as they are."""
    luck = torch.from_numpy(draw.random(ids.shape))
    ordinary = (~words.special).nonzero()[:, 0]
    other = ordinary[torch.from_numpy(draw.integers(len(ordinary), size=ids.shape))]
    ids = torch.where(chosen & (luck < MASKED), words.mask, ids)
    return torch.where(chosen & (luck >= MASKED) & (luck < MASKED + RANDOM), other, ids)


def with_hidden(rows: tuple[Tensor, ...], words: Vocabulary, share: float, draw: np.random.Generator) -> Batch:
    """Return ids, segments and places as a batch with a share of the words hidden."""
    ids, segments, places = rows
    chosen = choose(ids, words, share, draw)
    return Batch(hide(ids, chosen, words, draw), segments, places, chosen.flatten().nonzero()[:, 0], ids[chosen])


def batches(tokens: TokenStream, tokenizer: Tokenizer, recipe: Recipe, start: int = 0) -> Iterator[Batch]:
    """Yield the whole batch of every step from `start` on, without end.

    Raises:
        TrainingError: the corpus does not fill one batch in the first epoch; a later one that does not is left out.
    """
    words, passed = Vocabulary(tokenizer), 0
    for number in count():
        epoch = epoch_of(tokens, recipe.row_length, recipe.joined, recipe.seed, number)
        steps, left = divmod(len(epoch.rows) - 1, recipe.rows)
        if not steps and not number:
            raise TrainingError(
                f"the corpus fills {left} rows of {recipe.row_length} tokens, and a step takes {recipe.rows}; "
                f"use --set rows={max(1, left)} or a larger corpus"
            )
        for step in range(max(start, passed), passed + steps):
            rows = packed(tokens, epoch, (step - passed) * recipe.rows, recipe.rows, recipe.row_length, words)
            yield with_hidden(rows, words, recipe.masked, np.random.default_rng((recipe.seed, 0, step)))
        passed += steps


def held_out_batches(
    lines: Sequence[str], tokenizer: Tokenizer, row_length: int, seed: int = SCORED_SEED
) -> list[Batch]:
    """Return the lines as batches with hidden words, the same for the same lines, tokenizer, row length and seed."""
    words, draw = Vocabulary(tokenizer), np.random.default_rng((seed, 2))
    tokens = encode(Lines(list(lines), [False] * len(lines)), tokenizer, row_length)
    epoch = epoch_of(tokens, row_length, 0.0, seed, 0)
    firsts = range(0, len(epoch.rows) - 1, SCORED_ROWS)
    rows = (packed(tokens, epoch, first, SCORED_ROWS, row_length, words) for first in firsts)
    return [with_hidden(some, words, SCORED_SHARE, draw) for some in rows]
