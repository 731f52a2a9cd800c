"""The text that an atlas is made of: one sentence or pair a line, read as a stream, in parts of so many."""

import hashlib
import lzma
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from encoder.support.errors import EncoderError
from encoder.support.screening import is_fit
from encoder.support.whole_file import OPENERS
from encoder.trace.tokens import Text

LINE = 20_000  # characters; a longer line is taken as several
TAB = "\t"  # between the sentences of a pair


class AtlasError(EncoderError):
    """An atlas that cannot be made or read; the message says why and what to do."""


@dataclass(frozen=True)
class AtlasCorpus:
    """Files of text in UTF-8, plain, .xz or .gz; of every `every` lines with text the first is taken.

    With `pairs` each line is two sentences with a tab between them; else a tab is white space like any other. Where it
    is `screened`, a sentence that is not to be shown to a class is left out after it was taken, and counted.
    """

    files: tuple[Path, ...]
    every: int = 1
    pairs: bool = False
    screened: bool = False

    @property
    def kind(self) -> dict[str, bool]:
        """What a card and a plan say of pairs: nothing of a corpus of sentences."""
        return {"pairs": True} if self.pairs else {}

    def sentences(self) -> Iterator[Text]:
        """Yield the sentences, or pairs of them, in their order, but for those that are left out."""
        return (text for text in self.taken() if not self.screened or fits(text))

    def taken(self) -> Iterator[Text]:
        """Yield the sentences of every so manyth line, or pairs of them, in their order.

        Raises:
            AtlasError: a file cannot be read, is not UTF-8, or has a line that is no pair where pairs are asked for.
        """
        number = 0
        for path in self.files:
            for line, text in lines(path):
                if number % self.every == 0:
                    yield pair(path, line, text) if self.pairs else text
                number += 1

    def parts(self, size: int) -> Iterator[tuple[int, list[Text]]]:
        """Yield the number of each part's first sentence, and its sentences."""
        first, some = 0, list[Text]()
        for text in self.sentences():
            some.append(text)
            if len(some) == size:
                yield first, some
                first, some = first + size, []
        if some:
            yield first, some

    def measured(self) -> tuple[int, str, int]:
        """How many sentences there are, what pins them, and how many others were left out.

        That is the SHA-256 of all, each with a line break (a tab within pairs).

        Raises:
            AtlasError: a file cannot be read, or there is no text in them.
        """
        count, digest, left_out = 0, hashlib.sha256(), 0
        for text in self.taken():
            if self.screened and not fits(text):
                left_out += 1
                continue
            digest.update(f"{text if isinstance(text, str) else TAB.join(text)}\n".encode())
            count += 1
        if not count:
            raise AtlasError(f"the corpus is empty: there is no line of text in {named(self.files) or 'no file'}")
        return count, digest.hexdigest(), left_out


def fits(text: Text) -> bool:
    """Whether a sentence, or both of a pair, may be shown to a class."""
    return is_fit(*([text] if isinstance(text, str) else text))


def how_many(sentences: int, pairs: bool) -> str:
    """Return so many sentences, or pairs of them, in words."""
    return f"{sentences:,} {'pairs of ' * pairs}sentences"


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that hold text, each with its number from 1."""
    number = 1
    try:
        with opened(path) as file:
            while line := file.readline(LINE):
                if text := line.strip():
                    yield number, text
                number += 1
    except UnicodeDecodeError as error:
        raise AtlasError(f"{path} is not UTF-8 from line {number} on; save the file as UTF-8") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise AtlasError(f"{path} cannot be read: {why}") from error


def pair(path: Path, number: int, line: str) -> tuple[str, str]:
    """Return the two sentences of a line.

    Raises:
        AtlasError: it has no tab, or more than one.
    """
    if line.count(TAB) != 1:
        raise AtlasError(
            f"line {number} of {path} has {line.count(TAB)} tabs within its text; with --pairs each line is two "
            f"sentences with one tab between them, {LINE:,} characters at most"
        )
    first, _, second = line.partition(TAB)
    return first.strip(), second.strip()


def opened(path: Path) -> IO[str]:
    """Return a file as text, unpacked where its name says that it is packed."""
    opener = OPENERS.get(path.suffix)
    return path.open(encoding="utf-8-sig") if opener is None else opener(path, "rt", encoding="utf-8-sig")


def named(files: Sequence[Path]) -> str:
    """Return the names of files for people."""
    return ", ".join(re.sub(r"(\.txt)?(\.xz|\.gz)?$", "", path.name) for path in files)
