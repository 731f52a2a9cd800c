"""What stands below a page of the browser's, as the server tells it: asked for, and read."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from encoder.pictures.view import EXAMPLE
from pages.front.make_more import more
from pages.front.request_fields import MoreRequest

Item = dict[str, Any]


def section(
    page: str, name: str, *, agreed: bool = False, given: Mapping[str, str] | None = None, **query: str
) -> list[Item]:
    """The items of a section, for the parameters of a link and what somebody gives to it."""
    asked = tuple(sorted(({"sentence": EXAMPLE} | query).items()))
    answer = more(MoreRequest(page, name, asked, "light", agreed, tuple((given or {}).items())))
    items: list[Item] = json.loads(answer, parse_constant=refuse)
    return items


def refuse(name: str) -> float:
    """No browser reads NaN or Infinity as JSON."""
    raise AssertionError(f"{name} is not JSON")


def every(items: list[Item]) -> Iterator[Item]:
    """All items, those in columns too."""
    for item in items:
        yield item
        for column in item.get("columns", ()):
            yield from every(column)


def pictures(items: list[Item]) -> dict[str, Item]:
    """The pictures, by their keys."""
    return {item["picture"]: item for item in every(items) if item["kind"] == "picture"}


def tables(items: list[Item]) -> dict[str, dict[str, list[Any]]]:
    """The tables by their names, each by its columns."""
    found = [item for item in every(items) if item["kind"] == "table"]
    return {
        item["name"]: {name: [row[i] for row in item["rows"]] for i, name in enumerate(item["head"])} for item in found
    }


def asks(items: list[Item]) -> dict[str, Item]:
    """What can be chosen, by its name in a link."""
    return {item["name"]: item for item in every(items) if item["kind"] == "ask"}


def lines(items: list[Item]) -> list[str]:
    """The sentences below each other, each with what stands behind it."""
    found = [line for item in every(items) if item["kind"] == "lines" for line in item["lines"]]
    return [f"{''.join(text for text, _ in line['pieces'])} {line['note']}".strip() for line in found]


def words(items: list[Item]) -> str:
    """All that is said."""
    parts = (item.get(name, "") for item in every(items) for name in ("words", "sentence", "more"))
    return " ".join(part for part in parts if part)


def numbers(picture: Item, axis: str = "z") -> np.ndarray:
    """What the first trace of a chart draws along an axis, as a browser unpacks it."""
    return unpacked(picture["figure"]["data"][0][axis])


def unpacked(values: Any) -> np.ndarray:
    """An array as plotly.py writes it: a list, or bytes in base64."""
    if not isinstance(values, dict):
        return np.array(values, dtype=float)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), np.dtype(values["dtype"]).newbyteorder("<"))
    shape = values.get("shape")
    return flat.reshape([int(size) for size in str(shape).split(",")]) if shape else flat
