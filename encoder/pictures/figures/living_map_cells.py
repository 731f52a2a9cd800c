"""The cells of the living map: what stands for a matrix wider than the picture, and which number a cell opens."""

import math
from dataclasses import dataclass

import numpy as np

from encoder.metrics.weight_matrices import recorded
from encoder.model.steps.step import PAIRS, PER_HEAD, Step
from encoder.pictures.figures.living_map_packet import Array
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace

MOST_ROWS = 64  # more tokens than this share rows
CELLS = 32  # cells of a vector's strip
HEAD_CELLS = 16  # of a head's vector


@dataclass(frozen=True)
class Cells:
    """What is drawn of matrices: the value of largest size in each block, and the row and column that it has there."""

    values: Array
    rows: Array
    columns: Array


def row_stretch(n: int) -> int:
    """How many tokens share a row of the picture."""
    return math.ceil(n / MOST_ROWS)


def drawn(values: Array, tall: int, wide: int, first: bool = False) -> Cells:
    """The value of largest size in each block of tall x wide: [..., n, d] -> [..., n / tall, d / wide], rounded up.

    What is no finite number gives way to what is. With `first` it is the first value of each block instead.
    """
    n, d = values.shape[-2:]
    down, across = math.ceil(n / tall), math.ceil(d / wide)
    rows, columns = np.indices((down, across))
    if first or tall == wide == 1:
        return Cells(values[..., ::tall, ::wide], rows * tall, columns * wide)
    size = np.abs(values)
    finite = np.isfinite(size)
    size = size if finite.all() else np.where(finite, size, -1.0)
    over = (-n % tall, -d % wide)
    if any(over):
        size = np.pad(size, [(0, 0)] * (size.ndim - 2) + [(0, over[0]), (0, over[1])], constant_values=-2.0)
    blocks = size.reshape(*size.shape[:-2], down, tall, across, wide).swapaxes(-3, -2)
    best = blocks.reshape(*size.shape[:-2], down, across, tall * wide).argmax(-1)
    at = (rows * tall + best // wide) * d + columns * wide + best % wide
    flat = values.reshape(*values.shape[:-2], n * d)
    found = np.take_along_axis(flat, at.reshape(*at.shape[:-2], down * across), axis=-1)
    return Cells(found.reshape(at.shape), at // d, at % d)


def blocks(weights: Array) -> Array:
    """Weights [..., n, n] as the picture has rows: the one of largest size where tokens share a row."""
    every = row_stretch(weights.shape[-1])
    return weights if every == 1 else drawn(weights, every, every).values


def stretch(step: Step, n: int, d: int) -> int:
    """How many columns of a step's matrix [n, d] share a cell."""
    return row_stretch(n) if step.shape == PAIRS else math.ceil(d / (HEAD_CELLS if step.shape == PER_HEAD else CELLS))


def cells_of(values: Array, step: Step) -> Cells:
    """What the picture shows of a step's matrices: [..., n, n] in blocks of tokens, [..., n, d] as at most CELLS each.

    Of positions the first of each stretch: the largest of a stretch of waves is 1 nearly everywhere.
    """
    n, d = values.shape[-2:]
    return drawn(values, row_stretch(n), stretch(step, n, d), first=step.name == "embedding.positions")


def index_at(trace: Trace, name: str, head: int, row: int, cell: int, before: Trace | None = None) -> tuple[int, ...]:
    """The index, in its recorded step, of the number that a cell of the picture shows.

    With `before` the picture is that of the difference to that run.

    Raises:
        KeyError: no such step.
        EncoderError: the step is not drawn, or has no such head, row or cell.
    """
    step = trace.step(name)
    if len(step.shape) < 2 or step.shape[-1] == "vocab" or not 0 <= head < trace.config.n_heads:
        raise EncoderError(f"{name} of head {head} is not in the picture")
    values = recorded(trace, name, before)
    found = cells_of(values[head] if step.shape in (PAIRS, PER_HEAD) else values, step)
    if not (0 <= row < found.values.shape[0] and 0 <= cell < found.values.shape[1]):
        raise EncoderError(f"{name} has no row {row} and cell {cell}; the picture has {list(found.values.shape)}")
    at = int(found.rows[row, cell]), int(found.columns[row, cell])
    return (head, *at) if step.shape in (PAIRS, PER_HEAD) else at


def cell_of(trace: Trace, name: str, index: tuple[int, ...]) -> tuple[int, int] | None:
    """The row and cell of the picture in which a number lies; None for a step that is not drawn."""
    step = trace.step(name)
    if len(step.shape) != len(index) or len(step.shape) < 2 or step.shape[-1] == "vocab":
        return None
    n = len(trace.tokens)
    size = step.sizes(trace.config, n)
    if any(not 0 <= i < most for i, most in zip(index, size, strict=True)):
        return None
    return index[-2] // row_stretch(n), index[-1] // stretch(step, n, size[-1])
