"""Fields of what strangers send or keep, by their types: pydantic reads them; what is wrong is said in a sentence."""

import re
import reprlib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic_core import from_json

from encoder.support.errors import EncoderError

NAME = re.compile(r"[a-z_]{1,20}", re.ASCII)  # of a parameter of a link
LARGEST_WHOLE = 2**63
MOST_BYTES = 20_000_000  # of a file of results
K = TypeVar("K")

CLOSED = ConfigDict(extra="forbid")  # no fields but those that a class names
Whole = Annotated[int, Field(strict=True)]
MUST = {  # what is wrong, as pydantic calls it -> what it must be
    "string_type": "be text",
    "string_too_long": "have at most {max_length:,} characters",
    "string_too_short": "be text, and not empty",
    "bool_type": "be true or false",
    "int_type": "be a whole number",
    "float_type": "be a number",
    "finite_number": "be a number",
    "greater_than_equal": "be at least {ge:,}",
    "less_than_equal": "be at most {le:,}",
    "less_than": "be less than {lt:,}",
    "tuple_type": "be a list",
    "dict_type": "be a table of names and values",
    "dataclass_type": "be a table of names and values",
    "too_long": "hold at most {max_length}",
    "literal_error": "be one of {expected}",
}


def Texts(most: int, least: int = 1) -> StringConstraints:  # noqa: N802
    """Text of so many characters, without spaces around it."""
    return StringConstraints(strict=True, strip_whitespace=True, min_length=least, max_length=most)


def must(fault: Any, name: str) -> str:
    """Return what is wrong with a field of that name, and what it must be, from one of pydantic's errors."""
    kind, about = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        return f"{name}: {about['error']}" if name else str(about["error"])
    if kind == "missing":
        return f"{name} is missing"
    if kind == "unexpected_keyword_argument":
        return f"there is no field {name!r}"
    value, allowed = fault["input"], MUST.get(kind, "be something else").format(**about)
    if kind.endswith("too_long"):
        return f"{name} has {len(value):,}{' characters' * isinstance(value, str)}; it must {allowed}"
    return f"{name} is {reprlib.repr(value)}; it must {allowed}"


def loads(text: str, largest: int, depth: int) -> Any:
    """What a JSON text holds. Raises EncoderError where it is too large or deep, or holds what JSON does not have."""
    if len(text) > largest:
        raise EncoderError(f"it is larger than {largest:,} bytes")
    try:
        value = from_json(text.encode(), allow_inf_nan=False)
    except ValueError as error:
        raise EncoderError(f"it is not JSON: {str(error)[:200]}") from None
    check(value, depth)
    return value


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


@cache
def reader(kind: Any) -> TypeAdapter[Any]:
    """Return what reads values of a kind."""
    return TypeAdapter(kind)


def read_kept(path: Path, kind: type[K], form: tuple[str, int], refused: EncoderError) -> K:
    """Return what a file of results holds: JSON of this format and version, and the fields of a kind.

    Raises:
        EncoderError: `refused`, where it cannot be read or holds something else.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise refused
        values = from_json(path.read_bytes(), allow_inf_nan=False)
        if (values["format"], values["version"]) != form:
            raise refused
        kept: K = reader(kind).validate_python(values)  # type: ignore[arg-type]  # a class can be hashed
        return kept
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise refused from error
