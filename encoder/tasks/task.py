"""The tasks by name: those that the page Training offers, and those on digits that mystery models hide."""

from dataclasses import replace

import numpy as np

from encoder.support.errors import EncoderError
from encoder.tasks.attention_task import (
    DIGITS,
    LETTERS,
    AttentionTask,
    Draw,
    Floats,
    Integers,
    letters,
    moved,
    rearranged,
    shared,
)
from encoder.tasks.on_digits import ON_DIGITS

DEEPEST = 3  # brackets within brackets
PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSER = "."


def histogram(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Letters, and how often each one is there."""
    inputs = letters(6, 8)(generator, count)
    times = (inputs[:, :, None] == inputs[:, None]).sum(-1)
    return inputs, 6 + times - 1


def majority(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Return two letters, and the more frequent one everywhere."""
    inputs = letters(2, 11)(generator, count)
    return inputs, np.broadcast_to((2 * inputs.sum(1, keepdims=True) > 11).astype(np.int64), inputs.shape)


def palindrome(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Return a palindrome with one letter of some pairs hidden, of one pair at least; the hidden ones are asked for."""
    half = letters(8, 5)(generator, count)
    whole = np.concatenate([half, half[:, ::-1]], 1)
    gone = generator.random((count, 5)) < 0.5
    gone[np.arange(count), generator.integers(5, size=count)] = True
    left = generator.random((count, 5)) < 0.5
    hidden = np.concatenate([gone & left, (gone & ~left)[:, ::-1]], 1)
    return np.where(hidden, len(LETTERS), whole), np.where(hidden, whole, -1)


def of_hidden(inputs: Integers) -> Floats:
    """Return the mirrored place, for what is hidden."""
    pattern = moved(10, lambda i: 9 - i)(inputs)
    looks: Floats = pattern * (inputs == len(LETTERS))[:, :, None]
    return looks


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
    """Return the bracket that each dot closes."""
    pattern = np.zeros((*inputs.shape, inputs.shape[1] + 1), np.float32)
    for row, line in enumerate(inputs.tolist()):
        open_ones: list[int] = []
        for i, symbol in enumerate(line):
            if symbol < len(PAIRS):
                open_ones.append(i)
            elif open_ones:
                pattern[row, i, open_ones.pop() + 1] = 1.0
    return pattern


TASKS = {
    task.key: task
    for task in (
        rearranged(
            "copy", "Copy", "Say your own letter.", "the diagonal: each position looks at itself", lambda i: i,
            needed=False,
        ),
        rearranged(
            "shift", "Shift", "Say the letter before you; the first place says the last letter.",
            "one beside the diagonal: each position looks at the one before", lambda i: (i - 1) % 10,
        ),
        rearranged(
            "reverse", "Reverse", "Say the string backwards.",
            "the other diagonal: the first position looks at the last, the second at the last but one", lambda i: 9 - i,
        ),
        AttentionTask(
            "histogram", "Count alike", "Say how many times your letter is there.",
            "each position looks evenly at all letters like its own, and at [CLS]", 8, LETTERS[:6], histogram,
            lambda inputs: shared(inputs[:, :, None] == inputs[:, None], begin=True), DIGITS[1:9],
            heads=2, positions="none", steps=800, rate=0.01,
            rest_rate=1.0, needs_places=False,
        ),
        AttentionTask(
            "majority", "Majority", "Say which letter is there more often.",
            "an even row: every position looks at all letters alike", 11, LETTERS[:2], majority,
            lambda inputs: shared(np.ones((*inputs.shape, inputs.shape[1]), bool)), needs_places=False,
        ),
        replace(
            ON_DIGITS["largest"], key="maximum", title="Maximum", asks="Say the largest digit.",
            pattern="one column: every position looks where the largest digit is",
        ),
        AttentionTask(
            "palindrome", "Palindrome", "The string reads the same backwards. Say what is hidden.",
            "the other diagonal, for what is hidden: look at the position that mirrors yours", 10, LETTERS, palindrome,
            of_hidden,
        ),
        AttentionTask(
            "brackets", "Brackets", "Each dot closes a bracket. Say which sign it has to be.",
            "each dot looks at the bracket that it closes", 12, (*PAIRS, CLOSER), brackets, partners,
            tuple(PAIRS.values()), layers=2, heads=2, width=64, norm_first=True, steps=1200, rate=0.01, rest_rate=1.0,
        ),
        replace(
            ON_DIGITS["in_order"], key="sort", title="Sort", asks="Say the digits in order.",
            pattern="each position looks at the digit that belongs there",
            layers=2, heads=2, width=64, steps=1200, rate=0.003, rest_rate=1.0,
        ),
    )
}  # fmt: skip


def task_of(key: str) -> AttentionTask:
    """Return the task of that name.

    Raises:
        EncoderError: there is none; the message lists those that are.
    """
    if not isinstance(key, str) or (key not in TASKS and key not in ON_DIGITS):
        raise EncoderError(f"task is {key!r:.40}; it must be one of {', '.join(TASKS)}")
    return TASKS[key] if key in TASKS else ON_DIGITS[key]
