"""What several experiments need: numbers that a seed pins, and a tap that puts tensors in place."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from torch import Tensor, nn, randn

from encoder.model.tap import Recorder, Replacer, Tap
from encoder.support.errors import EncoderError, seeded

MOST = 10_000  # of anything that is counted: more would take hours, or more memory than there is


def given(values: Mapping[str, Tensor], then: Tap) -> Replacer:
    """A tap that puts given tensors in the place of the steps they name, and hands every value on to another tap."""
    return Replacer({name: partial(instead, tensor) for name, tensor in values.items()}, then)


def instead(tensor: Tensor, value: Tensor) -> Tensor:
    """The tensor in place of the value."""
    return tensor


def recorded(module: nn.Module, *inputs: Any, put: Mapping[str, Tensor] | None = None) -> dict[str, Tensor]:
    """Every step of one part of the model, by its name within that part, with some steps put in place."""
    values: dict[str, Tensor] = {}
    module(*inputs, tap=given(put or {}, Recorder(values, {})))
    return values


def normal(*shape: int, seed: int, draw: int = 0) -> Tensor:
    """Standard normal numbers that a seed pins; another `draw` gives others."""
    return randn(shape, generator=seeded(seed, draw))


def some(name: str, values: Sequence[int], low: int, high: int) -> None:
    """Refuse a list of sizes that is empty or holds something else than whole numbers within a range."""
    if not values:
        raise EncoderError(f"{name} is empty; it must hold one or more whole numbers from {low} to {high}")
    for value in values:
        if type(value) is not int or not low <= value <= high:
            raise EncoderError(f"{name} holds {value!r}; it must hold whole numbers from {low} to {high}")


def at_least(low: int, **counts: int) -> None:
    """Refuse a count that is not a whole number from `low` up to MOST; the message names it."""
    for name, count in counts.items():
        if type(count) is not int or not low <= count <= MOST:
            raise EncoderError(f"{name} is {count!r}; it must be a whole number, {low} or more, up to {MOST:,}")
