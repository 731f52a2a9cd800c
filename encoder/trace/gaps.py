"""The gap that a person types, ___ or [mask] or <mask>, as the mask of the model that reads it."""

import re
from bisect import bisect_right
from typing import NamedTuple

from encoder.trace.scripts import is_unspaced

TYPED = re.compile(r"\[mask\]|<mask>|__+", re.IGNORECASE)


class Gap(NamedTuple):
    """A gap: where it stands in the text that was typed, and where its mask stands in the text that is read."""

    typed: tuple[int, int]
    read: tuple[int, int]


class TextRead(NamedTuple):
    """A text whose gaps are the mask of a model, and where they were typed."""

    text: str
    gaps: tuple[Gap, ...] = ()

    def span_typed(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the typed text behind a stretch of this one; of a part of a gap it is the whole gap."""
        return self.typed(start, 0), self.typed(end, 1)

    def typed(self, place: int, side: int) -> int:
        """The place in the typed text; within a gap its beginning (side 0), or its end (side 1)."""
        before = bisect_right([gap.read[0] for gap in self.gaps], place - side)
        if not before:
            return place
        typed, read = self.gaps[before - 1]
        return typed[side] if place - side < read[1] else place - read[1] + typed[1]


def gaps(text: str) -> list[tuple[int, int]]:
    """Where the gaps of a text stand.

    A gap is [mask] or <mask> in small letters or capitals, or two underscores or more that stand alone: no letter or
    digit touches them, unless its script has no spaces between words. Underscores in a text without a letter or digit
    are a line that somebody drew, unless they are all that is there but for a full stop.
    """
    written = any(map(str.isalnum, TYPED.sub("", text))) or TYPED.fullmatch(text.strip().rstrip(" .?!"))
    return [
        match.span()
        for match in TYPED.finditer(text)
        if not match[0].startswith("_")
        or (written and not any(touches(text[i : i + 1]) for i in (max(0, match.start() - 1), match.end())))
    ]


def touches(letter: str) -> bool:
    """Whether a letter or digit beside underscores makes them a part of its word."""
    return letter.isalnum() and not is_unspaced(letter)


def with_mask(text: str, mask: str | None) -> TextRead:
    """The text with a model's mask in place of its gaps; as it was typed for a model without a mask."""
    if mask is None:
        return TextRead(text)
    parts, places, end, length = list[str](), list[Gap](), 0, 0
    for start, stop in gaps(text):
        parts += [text[end:start], mask]
        length += start - end + len(mask)
        places.append(Gap((start, stop), (length - len(mask), length)))
        end = stop
    return TextRead("".join((*parts, text[end:])), tuple(places))
