"""Tasks that all read eight digits and answer in digits: inputs and vocabulary do not say which of them it is."""

from collections.abc import Callable

import numpy as np

from encoder.tasks.attention_task import DIGITS, AttentionTask, Draw, Floats, Integers, letters, moved, shared

LENGTH = 8
Answer = Callable[[Integers], Integers]


def on_digits(
    key: str,
    title: str,
    asks: str,
    pattern: str,
    answer: Answer,
    looks: Callable[[Integers], Floats],
    needs_places: bool = True,
    rest_rate: float = 0.03,
) -> AttentionTask:
    """Return the task of giving `answer`, the digits wanted [count, LENGTH] for the digits given."""

    def draw(generator: Draw, count: int) -> tuple[Integers, Integers]:
        inputs = letters(len(DIGITS), LENGTH)(generator, count)
        return inputs, answer(inputs)

    return AttentionTask(
        key, title, asks, pattern, LENGTH, DIGITS, draw, looks, needs_places=needs_places, rest_rate=rest_rate
    )


def from_place(key: str, title: str, asks: str, source: Callable[[int], int]) -> AttentionTask:
    """Return the task whose answer at place i is the digit at place source(i)."""
    places = [source(i) for i in range(LENGTH)]
    pattern = f"the positions looked at, in order: {', '.join(map(str, places))}"
    return on_digits(key, title, asks, pattern, lambda inputs: inputs[:, places], moved(LENGTH, source))


def one_for_all(inputs: Integers, digits: Integers) -> Integers:
    """Return the same digit [count] as the answer at every place."""
    return np.broadcast_to(digits[:, None], inputs.shape)


def where(chosen: Callable[[Integers], Integers]) -> Callable[[Integers], Floats]:
    """Return the pattern in which every place looks at the digits that are the chosen one [count] of their row."""

    def looks(inputs: Integers) -> Floats:
        there = inputs == chosen(inputs)[:, None]
        return shared(np.broadcast_to(there[:, None], (*inputs.shape, LENGTH)))

    return looks


def largest(inputs: Integers) -> Integers:
    """Return the largest digit of each row."""
    digits: Integers = inputs.max(1)
    return digits


def smallest(inputs: Integers) -> Integers:
    """Return the smallest digit of each row."""
    digits: Integers = inputs.min(1)
    return digits


def times(inputs: Integers) -> Integers:
    """Return how often each digit is in its row."""
    counts: Integers = (inputs[:, :, None] == inputs[:, None]).sum(-1)
    return counts


def alike(inputs: Integers) -> Floats:
    """Return the pattern in which each digit looks evenly at those like it, and at [CLS]."""
    return shared(inputs[:, :, None] == inputs[:, None], begin=True)


ON_DIGITS = {
    task.key: task
    for task in (
        from_place("own", "Its own", "Say your own digit.", lambda i: i),
        from_place("before", "The one before", "Say the digit before yours (first: the last).", lambda i: i - 1 & 7),
        from_place("after", "The one after", "Say the digit after yours (last: the first).", lambda i: i + 1 & 7),
        from_place("two_on", "Two further on", "Say the digit two ahead, going round at the end.", lambda i: i + 2 & 7),
        from_place("backwards", "Backwards", "Say the row backwards.", lambda i: 7 - i),
        from_place("neighbours", "Neighbours swap", "First and second swap, third and fourth swap.", lambda i: i ^ 1),
        from_place("halves", "Halves swap", "The first half changes places with the second.", lambda i: i ^ 4),
        from_place("mirrored", "Each half backwards", "Say each half of the row backwards.", lambda i: i ^ 3),
        from_place("first", "The first", "Say the first digit everywhere.", lambda i: 0),
        from_place("last", "The last", "Say the last digit everywhere.", lambda i: 7),
        on_digits(
            "largest", "The largest", "Say the largest digit everywhere.", "where the largest digit is",
            lambda inputs: one_for_all(inputs, largest(inputs)), where(largest), needs_places=False,
        ),
        on_digits(
            "smallest", "The smallest", "Say the smallest digit everywhere.", "where the smallest digit is",
            lambda inputs: one_for_all(inputs, smallest(inputs)), where(smallest), needs_places=False,
        ),
        on_digits(
            "times", "How many alike", "Say how many times your digit is there.", "all digits alike, and [CLS]",
            times, alike, needs_places=False, rest_rate=1.0,
        ),
        on_digits(
            "in_order", "In order", "Say the digits in order, the smallest first.", "the digit that belongs there",
            lambda inputs: np.sort(inputs, 1),
            lambda inputs: shared(np.sort(inputs, 1)[:, :, None] == inputs[:, None]),
        ),
    )
}  # fmt: skip
