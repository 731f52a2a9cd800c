"""What the library says when it refuses something, and what its public functions take.

The message is a sentence that a person can act on: it gives the value and what is allowed.
"""

import operator
import reprlib
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from torch import Generator


class EncoderError(ValueError):
    """An argument, a text or a file that cannot be used; the message names the value and what it must be."""


T = TypeVar("T")
LARGEST, LARGEST_SEED = 2**63 - 1, 2**62


def integer(name: str, value: Any, low: int, high: int = LARGEST) -> int:
    """A whole number within a range, of Python, numpy or torch.

    Raises:
        EncoderError: anything else, also true and false.
    """
    try:
        number = low - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        allowed = f"from {low} to {high}" if high < LARGEST else f"of {low} or more"
        raise EncoderError(f"{name} is {reprlib.repr(value)}; it must be a whole number {allowed}")
    return number


def several(name: str, values: Any, low: int, high: int = LARGEST) -> list[int]:
    """Whole numbers within a range, in their order.

    Raises:
        EncoderError: no list or tuple of such; the message gives the first that is none.
    """
    return [integer(name, value, low, high) for value in listed(f"{name}s", values, "whole numbers")]


def listed(name: str, values: Any, what: str) -> list[Any]:
    """The members of a list, a tuple or another series.

    Raises:
        EncoderError: a text, or what is no series.
    """
    try:
        if not isinstance(values, str | bytes):
            return list(values)
    except TypeError:
        pass
    raise EncoderError(f"{name} is {reprlib.repr(values)}; it must be a tuple of {what}")


def of_kind(name: str, value: T, kind: type | UnionType, what: str) -> T:
    """A value of a class.

    Raises:
        EncoderError: one of another class; the message says `what` it must be.
    """
    if not isinstance(value, kind):
        raise EncoderError(f"{name} is {reprlib.repr(value)}; it must be {what}")
    return value


def seeded(seed: Any, more: int = 0) -> "Generator":
    """A source of random numbers of torch that begins at a seed, or so many after it.

    Raises:
        EncoderError: a seed that is no whole number from 0 to LARGEST_SEED.
    """
    from torch import Generator  # not before it is needed: whoever reads a text of the library needs no torch

    return Generator().manual_seed(integer("seed", seed, 0, LARGEST_SEED) + more)
