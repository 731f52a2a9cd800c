"""Gold trees: sentences whose grammar people marked, read from CoNLL-U (https://universaldependencies.org/format.html).

Of each word its form, part of speech, governor and relation are taken, and of its features mood and number. Lines of
contracted words ("1-2 don't") and of words that were left out ("8.1") are read over: they have no place in the tree.
"""

import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any, BinaryIO

from encoder.support.errors import EncoderError
from encoder.support.import_names import naming_extra
from encoder.support.progress import pulse
from encoder.support.whole_file import OPENERS

MOST_BYTES = 64_000_000  # of a file, unpacked: about a million words
LONGEST_LINE = 20_000
MOST_WORDS, LONGEST_RELATION = 1000, 60  # of a sentence, and letters of a relation
MOST_GIVEN, MOST_RELATIONS = 2000, 200  # sentences and relations of a file that a visitor gives
COLUMNS = 10  # of a line of CoNLL-U
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


@dataclass(frozen=True)
class TreeFile:
    """A file under the name that messages have for it, and what opens it."""

    called: str
    open: Callable[[], BinaryIO]


def read_treebank(path: str | Path, name: str | None = None) -> Treebank:
    """Read the trees of a CoNLL-U file, plain, .xz or .gz; without a name it is called as the file is.

    Raises:
        ExamError: the file cannot be read, is larger than MOST_BYTES or is no CoNLL-U with a head for every word;
            the message gives the line.
    """
    path = Path(path)
    file = TreeFile(str(path), lambda: OPENERS.get(path.suffix, open)(path, "rb"))
    for _ in lines(file):  # so that a file that is too large is refused before half of it is read into memory
        pass
    trees = tuple(tree(file, first, block) for first, block in blocks(file))
    if not trees:
        raise none_in(file)
    return Treebank(name or path.name.removesuffix(path.suffix if path.suffix in OPENERS else "").split(".")[0], trees)


def given_treebank(content: bytes, called: str, name: str) -> Treebank:
    """Read the trees of a file that somebody gives, plain CoNLL-U in memory; messages call it `called`.

    Raises:
        ExamError: as `read_treebank`, and where it has more than MOST_GIVEN sentences or MOST_RELATIONS relations.
    """
    file, trees, relations = TreeFile(called, lambda: io.BytesIO(content)), list[Tree](), set[str]()
    for first, block in blocks(file):
        pulse()
        trees.append(tree(file, first, block))
        relations.update(trees[-1].relations)
        for most, count, what in (
            (MOST_GIVEN, len(trees), "sentences"),
            (MOST_RELATIONS, len(relations), "different relations"),
        ):
            if count > most:
                raise ExamError(f"{called} has more than {most:,} {what}, which are reached in line {first:,}")
    if not trees:
        raise none_in(file)
    return Treebank(name, tuple(trees))


def none_in(file: TreeFile) -> ExamError:
    """Return the refusal of a file without a sentence."""
    return ExamError(f"{file.called} holds no sentence; it must be a CoNLL-U file with one line for each word")


def bundled_treebanks() -> list[Treebank]:
    """Read the treebanks that the project brings along."""
    return [read_treebank(FOLDER / f"{name}.conllu.xz") for name in BUNDLED]


def lines(file: TreeFile) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, from 1."""
    number, size = 0, 0
    try:
        with file.open() as opened:
            while line := opened.readline(LONGEST_LINE + 1):
                number, size = number + 1, size + len(line)
                if len(line) > LONGEST_LINE:
                    raise wrong(file, number, f"is longer than {LONGEST_LINE:,} bytes")
                if size > MOST_BYTES:
                    many = f"larger than {MOST_BYTES:,} bytes, which are reached in line {number:,}"
                    raise ExamError(f"{file.called} is {many}; give a part")
                yield number, line.removeprefix(BOM).decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ExamError(f"{file.called} is not UTF-8 from line {number:,} on; save the file as UTF-8") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ExamError(f"{file.called} cannot be read after line {number:,}: {why}") from error


def blocks(file: TreeFile) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each sentence, without the empty line behind it, and the number of the first, from 1."""
    first, block = 0, list[str]()
    for number, line in chain(lines(file), [(0, "")]):
        if line.strip():
            first = first if block else number
            block.append(line)
        elif block:
            yield first, block
            block = []


def wrong(file: TreeFile, line: int, what: str) -> ExamError:
    """Return the refusal of one line."""
    return ExamError(f"{file.called} is not a CoNLL-U file with gold trees: line {line:,} {what}")


def tree(file: TreeFile, first: int, block: list[str]) -> Tree:
    """Read one sentence from its lines, the first of which has that number."""
    numbered = [(first + i, line) for i, line in enumerate(block) if not line.startswith("#")]
    if not numbered:
        raise wrong(file, first, "begins a sentence without words")
    rows = [(number, row) for number, line in numbered if type((row := columns(file, number, line))["id"]) is int]
    for place, (number, row) in enumerate(rows, 1):
        check_word(file, number, row, place, len(rows))
    if not rows:
        raise wrong(file, numbered[0][0], "begins a sentence without words of its own")
    if len(rows) > MOST_WORDS:
        raise wrong(file, first, f"begins a sentence of {len(rows):,} words, where {MOST_WORDS:,} are the most")
    heads, rooted = tuple(row["head"] - 1 for _, row in rows), set[int]()
    for start, (number, _) in enumerate(rows):
        above, way = start, list[int]()
        while above >= 0 and above not in rooted and len(way) <= len(rows):
            way.append(above)
            above = heads[above]
        rooted.update(way if above < 0 or above in rooted else ())
        if start not in rooted:
            raise wrong(file, number, "has a word whose governors lead round in a circle and never to the root")
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


def columns(file: TreeFile, number: int, line: str) -> dict[str, Any]:
    """Read the columns of one line."""
    count = line.count("\t") + 1
    if count != COLUMNS:
        raise wrong(file, number, f"has {count} column{'s' * (count != 1)} where {COLUMNS} are expected, tabs between")
    with naming_extra():  # which no run of a model needs
        from conllu.exceptions import ParseException
        from conllu.parser import DEFAULT_FIELDS, parse_line

    try:
        row = dict(parse_line(line, DEFAULT_FIELDS))
    except (ParseException, ValueError) as error:  # a number of 5,000 digits is one of the latter
        raise wrong(file, number, f"cannot be read: {error!s:.160}") from error
    if row["id"] is None:
        raise wrong(file, number, "has no number in its first column")
    return row


def check_word(file: TreeFile, number: int, row: dict[str, Any], place: int, count: int) -> None:
    """Refuse a word out of its place, and one without a form, a relation or a governor within the sentence."""
    if row["id"] != place:
        raise wrong(file, number, f"has the number {row['id']} where {place} comes next")
    if not (row["form"] or "").strip():
        raise wrong(file, number, "has no word in its second column")
    head = row["head"]
    if head is None:
        raise wrong(file, number, "has no head: its seventh column must hold the number of the governor, or 0")
    if not 0 <= head <= count or head == place:
        raise wrong(file, number, f"has the head {head}; it must be from 0 to {count}, and not the word itself")
    if not (row["deprel"] or "_").strip("_ "):
        raise wrong(file, number, "has no relation in its eighth column")
    if len(row["deprel"]) > LONGEST_RELATION:
        raise wrong(file, number, f"has a relation of more than {LONGEST_RELATION} letters")
