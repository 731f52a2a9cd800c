"""The pictures of a figure as text for a link, and back: each is a page, a picture on it, and the link to its view."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from encoder.pictures.link import LONGEST_IN_URL
from encoder.pictures.old_addresses import FOLDED, RENAMED, lead
from encoder.support import link_text
from encoder.support.errors import EncoderError

OWN = "figure"  # what the choices of the page Figure begin with; they are no part of where a picture stands
PASSING = ("present", "v")
MOST = 12  # pictures, as in `encoder.pictures.paper.files`
LARGEST = 60_000  # characters of all pictures, unpacked
LONGEST_QUERY = 12_000
KEY = re.compile(r"[a-z0-9_]{1,40}", re.ASCII)
DEPTH = 3  # a list of pictures, a picture, its parameters, a parameter


class PictureAt(NamedTuple):
    """Where a picture stands: the key of its page, its own there, and the parameters of the link to its view."""

    page: str
    key: str
    query: tuple[tuple[str, str], ...]


def at(page: str, key: str, query: Mapping[str, str]) -> PictureAt:
    """Where the picture stands that a view shows."""
    own = {name: text for name, text in query.items() if not name.startswith(OWN) and name not in PASSING}
    return PictureAt(page, key, tuple(sorted(own.items())))


def pack(pictures: Sequence[PictureAt]) -> str:
    """The pictures as text; empty where there are none, or where they are too long for a link."""
    if not pictures:
        return ""
    text = link_text.pack([[one.page, one.key, dict(one.query)] for one in pictures])
    return text if len(text) <= LONGEST_IN_URL else ""


@lru_cache(maxsize=32)
def unpack(text: str, pages: frozenset[str]) -> tuple[PictureAt, ...]:
    """The pictures that `pack` made a text of; `pages` are the keys of all pages.

    Raises:
        EncoderError: the text holds none.
    """
    if not text:
        return ()
    if len(text) > LONGEST_IN_URL:
        raise EncoderError("the link's figure is no packed figure")
    try:
        found = link_text.unpack(text, LARGEST, DEPTH)
    except EncoderError as error:
        raise EncoderError(f"the link's figure cannot be read: {error}") from None
    if not isinstance(found, list) or not 1 <= len(found) <= MOST:
        raise EncoderError("the link's figure is damaged")
    pictures = tuple(read(one, pages) for one in found)
    if len(set(pictures)) < len(pictures):
        raise EncoderError("the link's figure names a picture twice")
    return pictures


def read(one: object, pages: frozenset[str]) -> PictureAt:
    """One picture as a link spells it; EncoderError for anything else."""
    if isinstance(one, list) and len(one) == 3:
        page, key, query = one
        if isinstance(page, str) and isinstance(query, dict):
            page, query = lead(page, query)
            key = RENAMED.get((page, str(key)), key)
            query = {**FOLDED.get((page, str(key)), {}), **query}
        texts = isinstance(query, dict) and all(isinstance(text, str) for text in query.values())
        small = texts and sum(map(len, query.values())) + sum(map(len, query)) <= LONGEST_QUERY
        if isinstance(page, str) and page in pages - {OWN} and isinstance(key, str) and KEY.fullmatch(key) and small:
            return at(page, key, query)
    raise EncoderError("the link's figure names a picture that is not here")
