"""A figure of several pictures as a link says it: where each picture stands, and the sheet that is chosen."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from encoder.pictures.link import LONGEST_IN_URL, spell
from encoder.pictures.old_addresses import FOLDED, RENAMED, lead
from encoder.pictures.paper.sheet import SIZES, Sheet
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
    text = link_text.pack([[picture.page, picture.key, dict(picture.query)] for picture in pictures])
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
        rows = link_text.unpack(text, LARGEST, DEPTH)
    except EncoderError as error:
        raise EncoderError(f"the link's figure cannot be read: {error}") from None
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST:
        raise EncoderError("the link's figure is damaged")
    pictures = tuple(read(row, pages) for row in rows)
    if len(set(pictures)) < len(pictures):
        raise EncoderError("the link's figure names a picture twice")
    return pictures


def read(row: object, pages: frozenset[str]) -> PictureAt:
    """One picture as a link spells it; EncoderError for anything else."""
    if isinstance(row, list) and len(row) == 3:
        page, key, query = row
        if isinstance(page, str) and isinstance(query, dict):
            page, query = lead(page, query)
            key = RENAMED.get((page, str(key)), key)
            query = {**FOLDED.get((page, str(key)), {}), **query}
        texts = isinstance(query, dict) and all(isinstance(text, str) for text in query.values())
        small = texts and sum(map(len, query.values())) + sum(map(len, query)) <= LONGEST_QUERY
        if isinstance(page, str) and page in pages - {OWN} and isinstance(key, str) and KEY.fullmatch(key) and small:
            return at(page, key, query)
    raise EncoderError("the link's figure names a picture that is not here")


OWN_SIZE = "Own size"
SLIDE = "Slide 16:9"
LONGEST = 1200  # characters of a caption
OFF_ON = (False, True)
OFFERED: dict[str, tuple[object, ...] | None] = {  # what may be chosen, by its name in a link; None for any text
    "figure_for": (*SIZES, OWN_SIZE),
    "figure_width": tuple(range(40, 401)),
    "figure_height": (0, *range(30, 401, 5)),
    "figure_letters": tuple(half / 2 for half in range(8, 41)),
    "figure_across": tuple(range(5)),
    "figure_theme": ("light", "dark"),
    "figure_square": OFF_ON,
    "figure_words": OFF_ON,
    "figure_fit": OFF_ON,
    "figure_shared": OFF_ON,
    "figure_title": None,
    "figure_caption": None,
    "figure_alt": None,
}
USUAL: dict[str, object] = {  # else the first that is offered, or no text
    "figure_for": "Two columns",
    "figure_width": 120,
    "figure_letters": 7.0,
    "figure_square": True,
}


def usual(key: str, choices: Mapping[str, str]) -> object:
    """What a choice is where nothing is chosen: on a slide letters are larger."""
    if key == "figure_letters" and choices.get("figure_for") == SLIDE:
        return 12.0
    return USUAL.get(key, (OFFERED[key] or ("",))[0])


def chosen(key: str, choices: Mapping[str, str]) -> object:
    """What is chosen; the usual where that is nothing, or nothing that is offered."""
    text, offered = choices.get(key), OFFERED[key]
    if text is None:
        return usual(key, choices)
    return text if offered is None else {spell(each): each for each in offered}.get(text, usual(key, choices))


def sheet_of(choices: Mapping[str, str]) -> Sheet:
    """The sheet that the choices of a link make."""
    of = {key.removeprefix("figure_"): chosen(key, choices) for key in OFFERED}
    width, height = SIZES.get(str(of["for"]), (float(str(of["width"])), float(str(of["height"]))))
    return Sheet(
        width=width,
        height=height,
        letters=float(str(of["letters"])),
        columns=int(str(of["across"])),
        theme="dark" if of["theme"] == "dark" else "light",
        square=bool(of["square"]),
        words_only=bool(of["words"]),
        numbers="fit" if of["fit"] else "none",
        shared=bool(of["shared"]),
        title=str(of["title"])[:120],
        caption=str(of["caption"])[:LONGEST],
        alt=str(of["alt"])[:LONGEST],
    )
