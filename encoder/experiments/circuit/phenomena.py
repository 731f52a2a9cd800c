"""Constructed phenomena: several frames, and words that differ in one thing; what carries that thing to the gap?"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from encoder.experiments.circuit.minimal_pair import MinimalPair
from encoder.support.errors import EncoderError

TABLE = Path(__file__).with_name("phenomena.toml")
PLACE = "{}"


@dataclass(frozen=True)
class Phenomenon:
    """Pairs that a program constructs: each of the `frames` with each of the `rows` of two words and two answers.

    `shows` is what differs and where it is seen, in a few words.
    """

    name: str
    shows: str
    frames: tuple[str, ...]
    rows: tuple[tuple[str, str, str, str], ...]

    @property
    def pairs(self) -> list[MinimalPair]:
        """The pairs, frame by frame."""
        return [
            MinimalPair(frame.replace(PLACE, a), frame.replace(PLACE, b), (for_a, for_b))
            for frame in self.frames
            for a, b, for_a, for_b in self.rows
        ]


@cache
def phenomena() -> dict[str, Phenomenon]:
    """All phenomena, by their names, in the order of the table."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    result = dict[str, Phenomenon]()
    for name, entry in table.items():
        rows = [tuple([*row.split(), *entry.get("answers", ())]) for row in entry["rows"]]
        result[name] = Phenomenon(name, entry["shows"], tuple(entry["frames"]), tuple((*row,) for row in rows))
    return result


def phenomenon(name: str) -> Phenomenon:
    """Return a phenomenon by its name.

    Raises:
        EncoderError: there is none of that name; the message lists all.
    """
    if name not in phenomena():
        raise EncoderError(f"no phenomenon is called {name!r:.60}; there are {', '.join(phenomena())}")
    return phenomena()[name]
