"""The bytes of a packet: a header of JSON and arrays behind it, read back within bounds; README.md is the format."""

import json
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.support.errors import EncoderError
from encoder.support.typed_fields import loads

MAGIC = b"ENCP"
VERSION = 1
LEVELS = tuple(range(1, 15))
START = struct.Struct("<4sHHII")  # magic, version, level, bytes of the header, CRC-32 of all that follows
ALIGNED = 8
DTYPES = {"f32": "<f4", "u16": "<u2", "i16": "<i2"}
WHOLE, NO_SHARE = 65534, 65535  # of u16: a share of 1, and what is no finite number
LARGEST, NO_VALUE = 32767, -32768  # of i16: the end of the scale, and what is no finite number
NOTHING = 1e-30  # a step of numbers that are all zero, none of which is off by more
DEEPEST = 8  # nesting of a header
MOST_SIZES, LARGEST_SIZE = 8, 2**31  # of an array's shape

NO_PACKET = "this is not a packet of a run: it does not begin with ENCP"
CUT = "the packet is cut: bytes are missing at its end; load it again"
CHANGED = "the packet was changed on its way: its bytes do not fit its checksum; load it again"

Values = np.ndarray[Any, Any]


class PacketError(EncoderError):
    """Bytes that are no packet, or one that is damaged or of a later version."""


@dataclass(frozen=True, eq=False)
class Stored:
    """An array as a packet holds it: uint16, int16 or float32 numbers, and what one step of them is worth.

    `scale` is None for float32 numbers, which are the values themselves.
    """

    values: Values
    scale: float | None = None

    @property
    def type(self) -> str:
        """The name of its type in a header: "f32", "u16" or "i16"."""
        return next(name for name, dtype in DTYPES.items() if np.dtype(dtype) == self.values.dtype)

    @property
    def numbers(self) -> Values:
        """The values as numbers of 64 bits; NaN for what u16 and i16 hold as no finite number."""
        if self.scale is None:
            return self.values.astype(np.float64)
        none = NO_SHARE if self.type == "u16" else NO_VALUE
        return np.where(self.values == none, np.nan, self.values * np.float64(self.scale))


def exact(values: Values) -> Stored:
    """Return the values as they are, at 32 bits."""
    return Stored(values.astype("<f4"))


def shares(values: Values) -> Stored:
    """Shares from 0 to 1 in steps of 1 / 65534; the values at 32 bits where an edit put others in their place."""
    finite = np.isfinite(values)
    steps = np.rint(np.where(finite, values, 0).astype(np.float64) * WHOLE)
    if steps.size and not 0 <= steps.min() <= steps.max() <= WHOLE:
        return exact(values)
    return Stored(np.where(finite, steps, NO_SHARE).astype("<u2"), 1 / WHOLE)


def signed(values: Values) -> Stored:
    """Values of both signs in steps of the largest size / 32767."""
    finite = np.isfinite(values)
    known = np.where(finite, values, 0).astype(np.float64)
    scale = float(np.abs(known).max(initial=0.0)) / LARGEST or NOTHING
    return Stored(np.where(finite, np.rint(known / scale), NO_VALUE).astype("<i2"), scale)


def pack(level: int, about: Mapping[str, Any], arrays: Mapping[str, Stored]) -> bytes:
    """Return a packet: `about` is what its header says, whose fields `level` and `arrays` are the packet's own."""
    body, places = bytearray(), dict[str, Any]()
    for name, array in arrays.items():
        body += bytes(-len(body) % ALIGNED)
        places[name] = {"type": array.type, "shape": list(array.values.shape), "at": len(body)}
        places[name] |= {} if array.scale is None else {"scale": array.scale}
        body += np.ascontiguousarray(array.values).tobytes()
    whole = {**about, "level": level, "arrays": places}
    header = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    header += b" " * (-len(header) % ALIGNED)
    rest = header + body
    return START.pack(MAGIC, VERSION, level, len(header), zlib.crc32(rest)) + rest


def unpack(data: bytes) -> tuple[int, dict[str, Any], dict[str, Stored]]:
    """Return the level of a packet, what its header says, and its arrays, which are views into the bytes.

    Raises:
        PacketError: no packet, a later version, or bytes that were cut or changed.
    """
    if data[:4] != MAGIC[: len(data)] or not data:
        raise PacketError(NO_PACKET)
    if len(data) < START.size:
        raise PacketError(CUT)
    _, version, level, length, checksum = START.unpack_from(data)
    if version > VERSION:
        raise PacketError(f"the packet is of version {version} and this program reads up to {VERSION}; load it anew")
    if version < 1 or level not in LEVELS:
        raise PacketError(CHANGED)
    rest = memoryview(data)[START.size :]
    if length > len(rest):
        raise PacketError(CUT)
    whole = zlib.crc32(rest) == checksum
    try:
        about, places = header_of(bytes(rest[:length]), level)
    except PacketError as error:
        raise error if whole else PacketError(CHANGED) from None
    body = rest[length:]
    outside = [name for name, place in places.items() if place.end > len(body)]
    if not whole:
        raise PacketError(CUT if outside else CHANGED)
    if outside:
        raise PacketError(f"the packet's header states an array outside of its bytes: {outside[0]!r:.60}")
    return level, about, {name: place.array(body) for name, place in places.items()}


@dataclass(frozen=True)
class Extent:
    """Where an array lies behind the header, in bytes, and how it is read."""

    dtype: Any
    shape: tuple[int, ...]
    at: int
    scale: float | None

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.at + math.prod(self.shape) * int(self.dtype.itemsize)

    def array(self, body: memoryview) -> Stored:
        """Return the array as a view into the bytes."""
        return Stored(np.ndarray(self.shape, self.dtype, body, self.at), self.scale)


def header_of(text: bytes, level: int) -> tuple[dict[str, Any], dict[str, Extent]]:
    """Return what a header says, and the places of the arrays that it states."""
    try:
        header = loads(text.decode(), len(text), DEEPEST)
    except (EncoderError, UnicodeDecodeError) as error:
        raise PacketError(f"the packet's header cannot be read: {error}") from None
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), dict):
        raise PacketError("the packet's header states no arrays")
    if header.pop("level", None) != level:
        raise PacketError(CHANGED)
    return header, {name: place_of(name, stated) for name, stated in header.pop("arrays").items()}


def place_of(name: str, stated: object) -> Extent:
    """Return the place that a header states for an array."""
    wrong = PacketError(f"the packet's header states the array {name!r:.60} in a way that cannot be read")
    if not isinstance(stated, dict):
        raise wrong
    kind, shape, at = (stated.get(key) for key in ("type", "shape", "at"))
    scale: Any = stated.get("scale")
    if not isinstance(kind, str) or kind not in DTYPES or type(at) is not int or at < 0 or at % ALIGNED:
        raise wrong
    if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < LARGEST_SIZE for size in shape):
        raise wrong
    if len(shape) > MOST_SIZES or math.prod(max(size, 1) for size in shape) >= LARGEST_SIZE:
        raise wrong
    if kind == "f32" and scale is None:
        return Extent(np.dtype(DTYPES[kind]), tuple(shape), at, None)
    if kind == "f32" or type(scale) not in (int, float) or not 0 < scale < math.inf:
        raise wrong
    return Extent(np.dtype(DTYPES[kind]), tuple(shape), at, float(scale))
