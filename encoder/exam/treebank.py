"""Gold trees: sentences whose grammar people marked, read from CoNLL-U (https://universaldependencies.org/format.html).

Of each word its form, part of speech, governor and relation are taken, and of its features mood and number. Lines of
contracted words ("1-2 don't") and of words that were left out ("8.1") are read over: they have no place in the tree.
"""

import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any

from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS, parse_line

from encoder.atlas.corpus import OPENERS
from encoder.errors import EncoderError

MOST_BYTES = 64_000_000  # of a file, unpacked: about a million words
LONGEST_LINE = 20_000
COLUMNS = len(DEFAULT_FIELDS)
BOM = b"\xef\xbb\xbf"  # what some programs put before UTF-8
FOLDER = Path(__file__).parent / "treebanks"
BUNDLED = ("en_pud", "en_ewt")  # news and Wikipedia, and web text that confirms it


class ExamError(EncoderError):
    """Trees that cannot be read, or an examination that cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Tree:
    """One sentence: for each of its words what people marked.

    `heads` are the places of the governors, counted from 0; that of the root is -1. `numbers` are "Sing", "Plur" or
    empty, `moods` such as "Ind". `line` is where it begins in its file.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    numbers: tuple[str, ...]
    moods: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True)
class Treebank:
    """Trees under the name that people see."""

    name: str
    trees: tuple[Tree, ...]


def read_treebank(path: str | Path, name: str | None = None) -> Treebank:
    """Read the trees of a CoNLL-U file, plain, .xz or .gz; without a name it is called as the file is.

    Raises:
        ExamError: the file cannot be read, is larger than MOST_BYTES or is no CoNLL-U with a head for every word;
            the message gives the line.
    """
    path = Path(path)
    for _ in lines(path):  # so that a file that is too large is refused before half of it is read into memory
        pass
    found = tuple(tree(path, first, block) for first, block in blocks(path))
    if not found:
        raise ExamError(f"{path} holds no sentence; it must be a CoNLL-U file with one line for each word")
    return Treebank(name or path.name.removesuffix(path.suffix if path.suffix in OPENERS else "").split(".")[0], found)


def bundled_treebanks() -> list[Treebank]:
    """Read the treebanks that the project brings along."""
    return [read_treebank(FOLDER / f"{name}.conllu.xz") for name in BUNDLED]


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, from 1."""
    number, size = 0, 0
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                number, size = number + 1, size + len(line)
                if len(line) > LONGEST_LINE:
                    raise wrong(path, number, f"is longer than {LONGEST_LINE:,} bytes")
                if size > MOST_BYTES:
                    raise ExamError(
                        f"{path} is larger than {MOST_BYTES:,} bytes, which are reached in line {number:,}; give a part"
                    )
                yield number, line.removeprefix(BOM).decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ExamError(f"{path} is not UTF-8 from line {number:,} on; save the file as UTF-8") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ExamError(f"{path} cannot be read after line {number:,}: {why}") from error


def blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each sentence, without the empty line behind it, and the number of the first, from 1."""
    first, block = 0, list[str]()
    for number, line in chain(lines(path), [(0, "")]):
        if line.strip():
            first = first if block else number
            block.append(line)
        elif block:
            yield first, block
            block = []


def wrong(path: Path, line: int, what: str) -> ExamError:
    """Return the refusal of one line."""
    return ExamError(f"{path} is no CoNLL-U file with gold trees: line {line:,} {what}")


def tree(path: Path, first: int, block: list[str]) -> Tree:
    """Read one sentence from its lines, the first of which has that number."""
    numbered = [(first + i, line) for i, line in enumerate(block) if not line.startswith("#")]
    if not numbered:
        raise wrong(path, first, "begins a sentence without words")
    rows = [(number, row) for number, line in numbered if type((row := columns(path, number, line))["id"]) is int]
    for place, (number, row) in enumerate(rows, 1):
        check_word(path, number, row, place, len(rows))
    if not rows:
        raise wrong(path, numbered[0][0], "begins a sentence without words of its own")
    heads = tuple(row["head"] - 1 for _, row in rows)
    for start, (number, _) in enumerate(rows):
        above, steps = start, 0
        while above >= 0 and steps <= len(rows):
            above, steps = heads[above], steps + 1
        if above >= 0:
            raise wrong(path, number, "has a word whose governors lead round in a circle and never to the root")
    features = [row["feats"] or {} for _, row in rows]
    return Tree(
        tuple(row["form"] for _, row in rows),
        tuple(intern(str(row["upos"])) for _, row in rows),
        heads,
        tuple(intern(row["deprel"]) for _, row in rows),
        tuple(intern(some.get("Number") or "") for some in features),
        tuple(intern(some.get("Mood") or "") for some in features),
        first,
    )


def columns(path: Path, number: int, line: str) -> dict[str, Any]:
    """Read the columns of one line."""
    count = line.count("\t") + 1
    if count != COLUMNS:
        raise wrong(path, number, f"has {count} column{'s' * (count != 1)} where {COLUMNS} are expected, tabs between")
    try:
        row = dict(parse_line(line, DEFAULT_FIELDS))
    except ParseException as error:
        raise wrong(path, number, f"cannot be read: {error!s:.160}") from error
    if row["id"] is None:
        raise wrong(path, number, "has no number in its first column")
    return row


def check_word(path: Path, number: int, row: dict[str, Any], place: int, count: int) -> None:
    """Refuse a word out of its place, and one without a form, a relation or a governor within the sentence."""
    if row["id"] != place:
        raise wrong(path, number, f"has the number {row['id']} where {place} comes next")
    if not (row["form"] or "").strip():
        raise wrong(path, number, "has no word in its second column")
    head = row["head"]
    if head is None:
        raise wrong(path, number, "has no head: its seventh column must hold the number of the governor, or 0")
    if not 0 <= head <= count or head == place:
        raise wrong(path, number, f"has the head {head}; it must be from 0 to {count}, and not the word itself")
    if not (row["deprel"] or "_").strip("_ "):
        raise wrong(path, number, "has no relation in its eighth column")
