"""What an explanation of one number consists of: its operands, the terms of its sum, and the arithmetic done again."""

from dataclasses import dataclass

import numpy as np

Index = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """One number that went in: a recorded step, a parameter, or "ids"; `name` and `index` open it in turn."""

    name: str
    index: Index
    value: float


@dataclass(frozen=True)
class Line:
    """Numbers of one tensor along one axis: `index` holds None where the position along the line goes."""

    name: str
    index: tuple[int | None, ...]
    values: np.ndarray

    def __getitem__(self, k: int) -> Operand:
        """The number at position k of the line."""
        return Operand(self.name, tuple(k if i is None else i for i in self.index), float(self.values[k]))


@dataclass(frozen=True)
class Terms:
    """What was added up: for each position along the lines, one value made from one number of each line.

    `order` sorts the values by size, largest first; `running` is the running sum in that order.
    """

    lines: tuple[Line, ...]
    values: np.ndarray

    @property
    def order(self) -> np.ndarray:
        """Positions of the terms, the largest in size first."""
        return np.argsort(-np.abs(self.values), kind="stable")

    def largest(self, count: int) -> np.ndarray:
        """The `count` largest in `order`, and the sum of all others, where there are more, as one more."""
        sorted_ = self.values[self.order]
        return np.append(sorted_[:count], sorted_[count:].sum()) if len(sorted_) > count else sorted_

    @property
    def running(self) -> np.ndarray:
        """The sum so far, term by term in `order`."""
        return np.cumsum(self.values[self.order])


@dataclass(frozen=True)
class Explanation:
    """Where one number came from."""

    name: str
    index: Index
    operation: str
    words: str
    latex: str
    result: float  # computed again in float64
    recorded: float  # by the run
    size: float  # of the numbers that were combined: the scale on which their difference is to be read
    operands: tuple[Operand, ...] = ()  # single numbers
    terms: Terms | None = None  # long sums
    edited: str = ""  # what an edit did to the number after it was computed; then `result` is not what was recorded

    @property
    def difference(self) -> float:
        """How far the recorded number is from the one computed again; 0 where both are minus infinity."""
        return 0.0 if self.result == self.recorded else abs(self.result - self.recorded)
