"""What five kinds of tutorial state of encoders, each with the place where it is live, as statements.toml lists it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PLACES = ("page", "claim", "lab", "lesson", "missing")


@dataclass(frozen=True)
class Statement:
    """One statement in our own words, with the tutorial, by its key of SOURCES, and the part of it that says so.

    Its place is a page or a lab with its view as a link spells it, or a claim or a lesson by its name; or `missing`
    says why there is none.
    """

    tutorial: str
    part: str
    text: str
    page: str = ""
    claim: str = ""
    lab: str = ""
    lesson: str = ""
    missing: str = ""
    view: Mapping[str, str] = field(default_factory=dict)


def statements_of(part: Mapping[str, Any]) -> list[Statement]:
    """Return the statements of a part of a tutorial."""
    result = []
    for row in part["says"]:
        place = {name: text for name, text in row.items() if name in PLACES}
        view = {name: str(value) for name, value in row.items() if name not in (*PLACES, "text")}
        if "page" in place or "lab" in place:
            view = part.get("view", {}) | view
        result.append(Statement(part["tutorial"], part["title"], row["text"], view=view, **place))
    return result


DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
STATEMENTS = tuple(statement for part in DATA["part"] for statement in statements_of(part))
