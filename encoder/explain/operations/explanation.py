"""What an explanation of a number consists of, and what the rule that finds it works with.

Its operands, the terms of its sum, and the arithmetic done again; and how numbers are spelled out.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from encoder.model.encoder import Encoder
from encoder.model.steps.step import Step
from encoder.support.formatting import tex
from encoder.trace.trace import Trace

Index = tuple[int, ...]
Term = tuple[str | int, ...]  # a product of sizes, such as ("vocab_size", "out")


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


SHOWN = 3  # terms of a sum that a formula spells out


@dataclass(frozen=True)
class Made:
    """What a rule finds out about a number."""

    result: float
    words: str
    latex: str
    size: float
    operands: tuple[Operand, ...] = ()
    terms: Terms | None = None


@dataclass(frozen=True)
class Operands:
    """Where a rule finds its numbers: the step, the index in it, the run, and the model's parameters."""

    step: Step
    index: Index
    trace: Trace
    model: Encoder
    inputs: tuple[str, ...]

    def number(self, i: int, *index: int) -> Operand:
        """One number of input i."""
        name = self.inputs[i]
        return Operand(name, index, float(self.trace[name][index]))

    def line(self, i: int, *index: int | None) -> Line:
        """The numbers of input i along the axis marked None."""
        name = self.inputs[i]
        return Line(name, index, along(self.trace[name], index))

    def parameter(self, name: str, *index: int) -> Operand:
        """One number of a parameter."""
        return Operand(name, index, float(weight(self.model, name)[index]))

    def parameters(self, name: str, *index: int | None) -> Line:
        """The numbers of a parameter along the axis marked None."""
        return Line(name, index, along(weight(self.model, name), index))


@dataclass(frozen=True)
class Operation:
    """One operation of the catalogue.

    `rule` makes a number of its result from the recorded operands alone, in float64; what else it needs to know comes
    from the step and the configuration, so the same rules explain every step of every model. `line` is the Python that
    computes the whole tensor: {0}, {1}, {2} are the inputs, {w} the weights' name, the rest sizes. `flops` gives the
    floating-point operations per element of the result, for a contraction or reduction over k numbers; an addition,
    multiplication, comparison, exponential, root or erf counts as one. `new_memory` is False where the result is memory
    that was there before: the model's own table, or the step before it. `parameters` are the sizes of its weights, by
    the fields of a configuration: "in" is the width of its first input, "out" that of its result.
    """

    rule: Callable[[Operands], Made]
    line: str
    flops: Callable[[int], float]
    new_memory: bool
    parameters: tuple[Term, ...]


def operation(
    line: str,
    flops: Callable[[int], float] = lambda k: 0,
    *,
    new_memory: bool = True,
    parameters: tuple[Term, ...] = (),
) -> Callable[[Callable[[Operands], Made]], Operation]:
    """What makes an operation of a rule, with the line of code and the cost that stand above it."""
    return lambda rule: Operation(rule, line, flops, new_memory, parameters)


def along(tensor: Tensor, index: Sequence[int | None]) -> np.ndarray:
    """The numbers along the one axis marked None, in float64."""
    numbers: np.ndarray = tensor[tuple(slice(None) if i is None else i for i in index)].double().numpy()
    return numbers


def weight(model: Encoder, name: str) -> Tensor:
    """A parameter, or a table of positions, by its name in the model."""
    return model.get_buffer(name) if name in dict(model.named_buffers()) else model.get_parameter(name)


def factor(x: float) -> str:
    """A number for LaTeX, in brackets where its sign would clash with what is before it."""
    return rf"({tex(x)})" if x < 0 else tex(x)


def base(x: float) -> str:
    """A number for LaTeX that is raised to a power: in brackets where it is negative or itself has a power of ten."""
    return rf"({tex(x)})" if x < 0 or "^" in tex(x) else tex(x)


def spelled(terms: Terms, bias: float | None = None) -> str:
    """The largest terms of a sum spelled out, the rest as dots."""
    parts = [r" \cdot ".join(factor(float(line.values[k])) for line in terms.lines) for k in terms.order[:SHOWN]]
    dots = [r"\cdots"] if len(terms.values) > SHOWN else []
    return " + ".join([*parts, *dots, *([factor(bias)] if bias is not None else [])])


def products(left: Line, right: Line) -> Terms:
    """Both lines multiplied, number by number."""
    return Terms((left, right), left.values * right.values)


def total(values: np.ndarray) -> float:
    """The exact sum, rounded once."""
    return math.fsum(values.tolist())


def copied(operand: Operand, words: str) -> Made:
    """A number that is another one unchanged."""
    return Made(operand.value, words, tex(operand.value), abs(operand.value), (operand,))


def summed(terms: Terms, bias: Operand | None, words: str) -> Made:
    """A sum of terms, and a bias where there is one."""
    extra = [] if bias is None else [bias.value]
    values = np.append(terms.values, extra)
    latex = spelled(terms, bias.value if bias else None)
    return Made(total(values), words, latex, float(np.abs(values).sum()), (bias,) if bias else (), terms)


def width(at: Operands) -> int:
    """How many numbers each row of the first input has."""
    return int(at.trace[at.inputs[0]].shape[-1])
