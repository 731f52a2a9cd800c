"""Whose seat in a class a screen has, that of the teacher, who leads, or of a pupil, and how far its class is."""

import re
from dataclasses import dataclass
from typing import NamedTuple

CODE = "[ABCDEFGHJKMNPRSTWXYZ]{6}"  # no letter that is taken for another, or for a digit, when read from afar
KEY = "[0-9a-f]{32}"
JOINS = "code"  # the parameter of the link by which pupils join
LONGEST_CODE = 100  # characters of it that are read
SPELLED = re.compile(rf"({CODE})-(leads|follows|alone)-({KEY})", re.ASCII)


class Counts(NamedTuple):
    """What tells a screen that its class has gone on: `shown` and `asked` grow, `led` tells whether somebody leads."""

    shown: int = 0
    asked: int = 0
    led: bool = True


@dataclass(frozen=True)
class Seat:
    """A place in the class of a code.

    `key` is the teacher's secret where the seat `leads`, and else what tells one pupil's answers from another's.
    `follows` tells whether a pupil's screen shows what the teacher's does.
    """

    code: str
    key: str
    leads: bool = False
    follows: bool = True

    def __str__(self) -> str:
        """The seat as a browser keeps it."""
        return f"{self.code}-{'leads' if self.leads else 'follows' if self.follows else 'alone'}-{self.key}"


def read(text: object) -> Seat | None:
    """The seat that a browser kept; None for anything else that it may send."""
    match = SPELLED.fullmatch(text) if isinstance(text, str) else None
    return Seat(match[1], match[3], match[2] == "leads", match[2] != "alone") if match else None
