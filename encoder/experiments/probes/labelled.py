"""Two hundred short English sentences with what a probe is taught: written for this project, none from a corpus.

They stand in labelled.txt, one a line: + or - for a good or a bad experience, then every word with its part of speech.
Each + is followed by a - of nearly the same words, so that no single frequent word gives the answer away.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("labelled.txt")
TAGS = {
    "N": "noun",
    "V": "verb",
    "A": "adjective",
    "R": "adverb",
    "P": "pronoun",
    "D": "determiner",
    "I": "preposition",
    "C": "conjunction",
}
MOODS = {"+": "good", "-": "bad"}


class Labelled(NamedTuple):
    """A sentence, which of MOODS it is, its words, and which of TAGS each of them is here; both counted from 0."""

    text: str
    mood: int
    words: tuple[str, ...]
    tags: tuple[int, ...]


@cache
def labelled() -> tuple[Labelled, ...]:
    """All sentences; number 2 k and 2 k + 1 are of nearly the same words."""
    return tuple(map(read, FILE.read_text(encoding="utf-8").splitlines()))


def read(line: str) -> Labelled:
    """One line of the file."""
    mood, *pairs = line.split()
    words, tags = zip(*(pair.split("/") for pair in pairs), strict=True)
    return Labelled(f"{' '.join(words)}.", [*MOODS].index(mood), words, tuple([*TAGS].index(tag) for tag in tags))
