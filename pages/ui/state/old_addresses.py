"""Where pages that were merged into others are now: one table for old addresses, lessons and figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """A page by its key, and what its link must say to show what an old page showed."""

    page: str
    query: Mapping[str, str] = field(default_factory=dict)


OLD = {
    "looks": Place("sentence", {"several": "1"}),
}


def lead(page: str, query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the page and the parameters of a link that show what an old one asks for; those of today are unchanged.

    What the link says itself goes before what the old page began with.
    """
    place = OLD.get(page)
    return (page, dict(query)) if place is None else (place.page, {**place.query, **query})
