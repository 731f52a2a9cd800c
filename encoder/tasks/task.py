"""Tasks on short strings of symbols: what is asked, what the answer is, and where a head has to look for it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.model.config import Positions

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Draw = np.random.Generator
HIDDEN = "[MASK]"
LETTERS, DIGITS = tuple("abcdefgh"), tuple("0123456789")
DEEPEST = 3  # brackets within brackets
PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSER = "."


@dataclass(frozen=True)
class AttentionTask:
    """A task on inputs of `length` symbols, which count through `vocabulary`.

    `draw(generator, count)` gives inputs and the answers wanted [count, length] each, -1 where none is wanted.
    `looks(inputs)` gives the known pattern [count, length, length + 1]: how much the place in the row should look at
    each place, the first column standing for [CLS]; rows of zeros where nothing is said. `head_needed` says whether the
    task needs a head at all, `needs_places` whether it cannot be done without telling places apart. The other fields
    are those of a model and a training that learn it; `rest_rate` is what part of the rate all weights but those of
    attention take: learned as fast, they would do the work of a head that is not sharp yet.
    """

    key: str
    title: str
    asks: str
    pattern: str
    length: int
    symbols: tuple[str, ...]
    draw: Callable[[Draw, int], tuple[Integers, Integers]]
    looks: Callable[[Integers], Floats]
    answers: tuple[str, ...] = ()
    layers: int = 1
    heads: int = 1
    width: int = 32
    positions: Positions = "sinusoidal"
    norm_first: bool = False
    steps: int = 400
    rate: float = 0.03
    rest_rate: float = 0.03
    head_needed: bool = True
    needs_places: bool = True

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Symbols, then answers that are no symbols, then the mask."""
        return (*self.symbols, *self.answers, HIDDEN)


def letters(count: int, length: int) -> Callable[[Draw, int], Integers]:
    """Strings of so many kinds of symbols, all equally likely."""
    return lambda draw, rows: draw.integers(count, size=(rows, length))


def moved(length: int, source: Callable[[int], int]) -> Callable[[Integers], Floats]:
    """The pattern in which place i looks at place source(i) and nowhere else."""
    pattern = np.zeros((length, length + 1), np.float32)
    pattern[range(length), [source(i) + 1 for i in range(length)]] = 1.0
    return lambda inputs: np.broadcast_to(pattern, (len(inputs), *pattern.shape))


def shared(chosen: NDArray[np.bool_], begin: bool = False) -> Floats:
    """The pattern in which every place looks evenly at what is `chosen` [count, length, length], and at [CLS] too."""
    first = np.full((*chosen.shape[:2], 1), begin)
    found = np.concatenate([first, chosen], -1).astype(np.float32)
    even: Floats = found / np.maximum(found.sum(-1, keepdims=True), 1.0)
    return even


def rearranged(
    key: str, title: str, asks: str, pattern: str, source: Callable[[int], int], needed: bool = True
) -> AttentionTask:
    """A task whose answer at place i is the letter at place source(i)."""
    length = 10
    places = [source(i) for i in range(length)]

    def draw(generator: Draw, count: int) -> tuple[Integers, Integers]:
        inputs = letters(len(LETTERS), length)(generator, count)
        return inputs, inputs[:, places]

    return AttentionTask(
        key, title, asks, pattern, length, LETTERS, draw, moved(length, source), head_needed=needed, needs_places=needed
    )


def histogram(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Letters, and how often each one is there."""
    inputs = letters(6, 8)(generator, count)
    times = (inputs[:, :, None] == inputs[:, None]).sum(-1)
    return inputs, 6 + times - 1


def maximum(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Digits, and the largest of them everywhere."""
    inputs = letters(10, 8)(generator, count)
    return inputs, np.broadcast_to(inputs.max(1, keepdims=True), inputs.shape)


def where_largest(inputs: Integers) -> Floats:
    """Where the largest digit is."""
    there = inputs == inputs.max(1, keepdims=True)
    return shared(np.broadcast_to(there[:, None], (*inputs.shape, inputs.shape[1])))


def majority(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Two letters, and the more frequent one everywhere."""
    inputs = letters(2, 11)(generator, count)
    return inputs, np.broadcast_to((2 * inputs.sum(1, keepdims=True) > 11).astype(np.int64), inputs.shape)


def palindrome(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """A palindrome with one letter of some pairs hidden, of one pair at least; the hidden ones are asked for."""
    half = letters(8, 5)(generator, count)
    whole = np.concatenate([half, half[:, ::-1]], 1)
    gone = generator.random((count, 5)) < 0.5
    gone[np.arange(count), generator.integers(5, size=count)] = True
    left = generator.random((count, 5)) < 0.5
    hidden = np.concatenate([gone & left, (gone & ~left)[:, ::-1]], 1)
    return np.where(hidden, len(LETTERS), whole), np.where(hidden, whole, -1)


def of_hidden(inputs: Integers) -> Floats:
    """The mirrored place, for what is hidden."""
    pattern = moved(10, lambda i: 9 - i)(inputs)
    found: Floats = pattern * (inputs == len(LETTERS))[:, :, None]
    return found


def brackets(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Opening brackets of three kinds, and dots that close one each; asked for is what each dot should be."""
    length, kinds = 12, len(PAIRS)
    inputs, wanted = np.full((count, length), kinds), np.full((count, length), -1)
    stack, depth = np.zeros((count, DEEPEST), np.int64), np.zeros(count, np.int64)
    rows = np.arange(count)
    for i in range(length):
        may_open = (depth < DEEPEST) & (depth < length - i)
        opens = may_open & ((depth == 0) | (generator.random(count) < 0.5))
        kind = generator.integers(kinds, size=count)
        inputs[opens, i] = kind[opens]
        stack[rows[opens], depth[opens]] = kind[opens]
        closes = ~opens
        wanted[closes, i] = kinds + 1 + stack[rows[closes], depth[closes] - 1]
        depth += np.where(opens, 1, -1)
    return inputs, wanted


def partners(inputs: Integers) -> Floats:
    """The bracket that each dot closes."""
    pattern = np.zeros((*inputs.shape, inputs.shape[1] + 1), np.float32)
    for row, line in enumerate(inputs.tolist()):
        open_ones: list[int] = []
        for i, symbol in enumerate(line):
            if symbol < len(PAIRS):
                open_ones.append(i)
            elif open_ones:
                pattern[row, i, open_ones.pop() + 1] = 1.0
    return pattern


def sort(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Digits, and the same in order."""
    inputs = letters(10, 8)(generator, count)
    return inputs, np.sort(inputs, 1)


def in_order(inputs: Integers) -> Floats:
    """For place i, where the digit is that belongs there."""
    return shared(np.sort(inputs, 1)[:, :, None] == inputs[:, None])


TASKS = {
    task.key: task
    for task in (
        rearranged(
            "copy", "Copy", "Say your own letter.", "the diagonal: each place looks at itself", lambda i: i,
            needed=False,
        ),
        rearranged(
            "shift", "Shift", "Say the letter before you; the first place says the last letter.",
            "one beside the diagonal: each place looks at the one before", lambda i: (i - 1) % 10,
        ),
        rearranged(
            "reverse", "Reverse", "Say the string backwards.",
            "the other diagonal: the first place looks at the last, the second at the last but one", lambda i: 9 - i,
        ),
        AttentionTask(
            "histogram", "Count alike", "Say how many times your letter is there.",
            "each place looks evenly at all letters like its own, and at [CLS]", 8, LETTERS[:6], histogram,
            lambda inputs: shared(inputs[:, :, None] == inputs[:, None], begin=True), DIGITS[1:9],
            heads=2, positions="none", steps=800, rate=0.01,
            rest_rate=1.0, needs_places=False,
        ),
        AttentionTask(
            "majority", "Majority", "Say which letter is there more often.",
            "an even row: every place looks at all letters alike", 11, LETTERS[:2], majority,
            lambda inputs: shared(np.ones((*inputs.shape, inputs.shape[1]), bool)), needs_places=False,
        ),
        AttentionTask(
            "maximum", "Maximum", "Say the largest digit.", "one column: every place looks where the largest digit is",
            8, DIGITS, maximum,
            where_largest, needs_places=False,
        ),
        AttentionTask(
            "palindrome", "Palindrome", "The string reads the same backwards. Say what is hidden.",
            "the other diagonal, for what is hidden: look at the place that mirrors yours", 10, LETTERS, palindrome,
            of_hidden,
        ),
        AttentionTask(
            "brackets", "Brackets", "Each dot closes a bracket. Say which sign it has to be.",
            "each dot looks at the bracket that it closes", 12, (*PAIRS, CLOSER), brackets, partners,
            tuple(PAIRS.values()), layers=2, heads=2, width=64, norm_first=True, steps=1200, rate=0.01, rest_rate=1.0,
        ),
        AttentionTask(
            "sort", "Sort", "Say the digits in order.", "place i looks at the digit that belongs there", 8, DIGITS,
            sort, in_order, layers=2, heads=2, width=64, steps=1200, rate=0.003, rest_rate=1.0,
        ),
    )
}  # fmt: skip


def task_of(key: str) -> AttentionTask:
    """The task of that name.

    Raises:
        ValueError: there is none; the message lists those that are.
    """
    if key not in TASKS:
        raise ValueError(f"task is {key!r:.40}; it must be one of {', '.join(TASKS)}")
    return TASKS[key]
