"""The living map as bytes: what stands for a matrix wider than the picture, which number a cell opens, and levels."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.metrics.weight_matrices import recorded
from encoder.model.steps.step import PAIRS, PER_HEAD, Step
from encoder.support.errors import EncoderError
from encoder.support.formatting import WHOLE
from encoder.trace.trace import Trace

HALF_PERCENTS = 200  # levels of a weight of 1
NONE = 255  # the level of what is no finite number
ZERO = 127  # the level of 0 among signed values
Array = np.ndarray[Any, Any]
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
    largest = np.take_along_axis(flat, at.reshape(*at.shape[:-2], down * across), axis=-1)
    return Cells(largest.reshape(at.shape), at // d, at % d)


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
    cells = cells_of(values[head] if step.shape in (PAIRS, PER_HEAD) else values, step)
    if not (0 <= row < cells.values.shape[0] and 0 <= cell < cells.values.shape[1]):
        raise EncoderError(f"{name} has no row {row} and cell {cell}; the picture has {list(cells.values.shape)}")
    at = int(cells.rows[row, cell]), int(cells.columns[row, cell])
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


def share_levels(shares: Array) -> Array:
    """Shares of 1 in half percents, rounded down: 0 to 200, which is a share of 1 alone."""
    exact = np.nan_to_num(shares.astype(np.float64))
    levels = np.where(exact < WHOLE, np.floor(exact * HALF_PERCENTS), HALF_PERCENTS).clip(0, HALF_PERCENTS)
    return np.where(np.isfinite(shares), levels, NONE).astype(np.uint8)


def signed_levels(values: Array, largest: float | Array) -> Array:
    """Values from -largest to largest as 0 to 254, zero at 127; what lies outside is drawn as the end of the scale."""
    levels = np.rint(np.nan_to_num(values.astype(np.float64) / largest, posinf=0.0, neginf=0.0) * ZERO)
    return np.where(np.isfinite(values), levels.clip(-ZERO, ZERO) + ZERO, NONE).astype(np.uint8)


def scale_of(values: Array, within: float = 1.0) -> float:
    """The end of a signed scale: the size that the part `within` of the finite values does not exceed."""
    sizes = np.abs(values).ravel()
    finite = np.isfinite(sizes)
    sizes = sizes if finite.all() else sizes[finite]
    if not sizes.size:
        return 1.0
    at = math.ceil(within * (sizes.size - 1))
    largest = float(np.partition(sizes, at)[at])
    return largest if 0 < largest < math.inf else 1.0


def packed(about: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """A header of JSON and the arrays behind it: 4 bytes of the header's length, the header, the arrays.

    The header says for each array its type, its shape, and where it begins behind the header; equal ones are sent once.
    """
    places: dict[str, Any] = {}
    buffers: dict[bytes, int] = {}
    length = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        if data not in buffers:
            buffers[data] = length
            length += len(data)
        places[name] = [array.dtype.str, list(array.shape), buffers[data]]
    header = json.dumps(about | {"arrays": places}, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return len(header).to_bytes(4, "little") + header + b"".join(buffers)
