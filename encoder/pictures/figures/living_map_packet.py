"""Numbers as plain bytes for a browser: a header of JSON, and arrays behind it; levels of one byte each."""

import json
import math
from typing import Any

import numpy as np

from encoder.support.formatting import WHOLE

HALF_PERCENTS = 200  # levels of a weight of 1
NONE = 255  # the level of what is no finite number
ZERO = 127  # the level of 0 among signed values
Array = np.ndarray[Any, Any]


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
