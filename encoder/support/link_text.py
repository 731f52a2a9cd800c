"""Data as text for a link, and back: JSON, squeezed, in the letters of base64. What comes back is somebody else's.

It is read within bounds: its length before and after it is unpacked, and how deeply it is nested. Only values that JSON
has come out of it, and texts that can be written again as UTF-8.
"""

import base64
import binascii
import json
import re
import zlib
from typing import Any

from encoder.support.errors import EncoderError

LETTERS = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
NAME = re.compile(r"[a-z_]{1,20}", re.ASCII)  # of a parameter of a link
LARGEST_WHOLE = 2**63


def pack(value: object) -> str:
    """The value, anything that JSON can say, as text for a link."""
    return squeeze(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def squeeze(text: str) -> str:
    """A text in fewer letters, all of which a link may hold."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii").rstrip("=")


def unpack(text: str, largest: int, depth: int) -> Any:
    """The value that `pack` made a text of, if it has at most `largest` bytes and is nested at most `depth` deep.

    Raises:
        EncoderError: the text is damaged or cut off, or holds something else or more than that.
    """
    return loads(unsqueeze(text, largest), largest, depth)


def unsqueeze(text: str, largest: int) -> str:
    """The text that was squeezed; never more than `largest` bytes and one are unpacked. Raises as `unpack` does."""
    if not LETTERS.fullmatch(text):
        raise EncoderError("it has no letters, or others than letters, digits, - and _")
    try:
        whole = zlib.decompressobj()
        plain = whole.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), largest + 1)
        if len(plain) > largest:
            raise EncoderError(f"it is larger than {largest:,} bytes")
        if not whole.eof:
            raise EncoderError("it is cut off")
        return plain.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise EncoderError("it is damaged") from None


def loads(text: str, largest: int, depth: int) -> Any:
    """What a JSON text holds. Raises EncoderError where it is too large or deep, or holds what JSON does not have."""
    if len(text) > largest:
        raise EncoderError(f"it is larger than {largest:,} bytes")
    try:
        value = json.loads(text, parse_constant=refuse)
        text.encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise EncoderError(f"it is no JSON: {str(error)[:200]}") from None
    check(value, depth)
    return value


def refuse(name: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have and Python reads all the same."""
    raise ValueError(f"it holds {name}")


def check(value: object, depth: int) -> None:
    """Refuse what is nested deeper, whole numbers of more than 64 bits, and texts that cannot be written as UTF-8."""
    level = [value]
    for _ in range(depth + 1):
        tables = [part for part in level if isinstance(part, dict)]
        for part in level:
            if isinstance(part, int) and not -LARGEST_WHOLE <= part < LARGEST_WHOLE:
                raise EncoderError("it holds a whole number of more than 64 bits")
        texts = [part for part in level if isinstance(part, str)] + [name for table in tables for name in table]
        if not all(map(writable, texts)):
            raise EncoderError("it holds half of a character")
        level = [inner for part in level if isinstance(part, list) for inner in part]
        level += [inner for table in tables for inner in table.values()]
        if not level:
            return
    raise EncoderError(f"it is nested more than {depth} deep")


def writable(text: str) -> bool:
    """Whether the text can be written as UTF-8: JSON can spell half of a character, which nothing can show."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
