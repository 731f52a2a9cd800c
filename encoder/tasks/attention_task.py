"""What a task on short strings of symbols is: what is asked, the answer, and where a head has to look for it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.model.config import Positions

# Three times as fast, after a short warm-up or a long one, the head of some seeds settles where nothing is to be found.
SLOWLY = 0.01
Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Draw = np.random.Generator
HIDDEN = "[MASK]"
LETTERS, DIGITS = tuple("abcdefgh"), tuple("0123456789")


@dataclass(frozen=True)
class AttentionTask:
    """A task on inputs of `length` symbols, which count through `vocabulary`.

    From `layers` to `rest_rate` the fields are those of a model and a training that learn it.
    """

    key: str
    title: str
    asks: str
    pattern: str
    length: int
    symbols: tuple[str, ...]
    draw: Callable[[Draw, int], tuple[Integers, Integers]]  # inputs, answers [count, length]; -1: none
    # How much each place should look at each, [CLS] first: [count, length, length + 1]; rows of 0 where nothing is said
    looks: Callable[[Integers], Floats]
    answers: tuple[str, ...] = ()
    layers: int = 1
    heads: int = 1
    width: int = 32
    positions: Positions = "sinusoidal"
    norm_first: bool = False
    steps: int = 400
    rate: float = 0.03
    # Part of the rate that weights outside attention take: as fast, they would do the work of a head not sharp yet.
    rest_rate: float = 0.03
    head_needed: bool = True
    needs_places: bool = True  # whether it cannot be done without telling places apart

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Symbols, then answers that are no symbols, then the mask."""
        return (*self.symbols, *self.answers, HIDDEN)


def letters(count: int, length: int) -> Callable[[Draw, int], Integers]:
    """Return strings of so many kinds of symbols, all equally likely."""
    return lambda draw, rows: draw.integers(count, size=(rows, length))


def moved(length: int, source: Callable[[int], int]) -> Callable[[Integers], Floats]:
    """Return the pattern in which place i looks at place source(i) and nowhere else."""
    pattern = np.zeros((length, length + 1), np.float32)
    pattern[range(length), [source(i) + 1 for i in range(length)]] = 1.0
    return lambda inputs: np.broadcast_to(pattern, (len(inputs), *pattern.shape))


def shared(chosen: NDArray[np.bool_], begin: bool = False) -> Floats:
    """The pattern in which every place looks evenly at what is `chosen` [count, length, length], and at [CLS] too."""
    first = np.full((*chosen.shape[:2], 1), begin)
    vectors = np.concatenate([first, chosen], -1).astype(np.float32)
    even: Floats = vectors / np.maximum(vectors.sum(-1, keepdims=True), 1.0)
    return even


def rearranged(
    key: str, title: str, asks: str, pattern: str, source: Callable[[int], int], needed: bool = True
) -> AttentionTask:
    """Return a task whose answer at place i is the letter at place source(i)."""
    length = 10
    places = [source(i) for i in range(length)]

    def draw(generator: Draw, count: int) -> tuple[Integers, Integers]:
        inputs = letters(len(LETTERS), length)(generator, count)
        return inputs, inputs[:, places]

    return AttentionTask(
        key,
        title,
        asks,
        pattern,
        length,
        LETTERS,
        draw,
        moved(length, source),
        head_needed=needed,
        needs_places=needed,
        rate=SLOWLY,
        steps=800,
    )
