"""The text to learn from: plain lines in UTF-8, an empty line between paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from encoder.support.errors import EncoderError

EVERY = 20  # one line in so many is held out
MOST = 2000  # lines held out of a file


class TrainingError(EncoderError):
    """Training that cannot start or go on; the message says why and what to do."""


@dataclass(frozen=True)
class Lines:
    """Lines of text in their order; `follows` says whether a line stands right after the one before it."""

    texts: list[str]
    follows: list[bool]


def read(path: Path) -> Lines:
    """Return the lines of a file that hold text.

    Raises:
        TrainingError: there is no such file, or it is not UTF-8; the message names the byte.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TrainingError(f"{path} cannot be read: {error.strerror}") from error
    try:
        whole = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise TrainingError(
            f"{path} is not UTF-8: byte {error.start} (0x{raw[error.start]:02x}, in line {number}) does not belong "
            "there; save the file as UTF-8"
        ) from error
    texts, follows, after = [], [], False
    for line in whole.splitlines():
        text = line.strip()
        if text:
            texts.append(text)
            follows.append(after)
        after = bool(text)
    return Lines(texts, follows)


def read_all(paths: Sequence[Path]) -> dict[str, Lines]:
    """Return the lines of several files, by file.

    Raises:
        TrainingError: a file cannot be read, or there is no text in all of them.
    """
    texts = {str(path): read(path) for path in paths}
    if not any(lines.texts for lines in texts.values()):
        raise TrainingError(f"the corpus is empty: there is no line of text in {', '.join(texts) or 'no file'}")
    return texts


def hold_out(lines: Lines) -> tuple[Lines, list[str]]:
    """Return the lines to learn from, and those held out: every 20th, at most 2,000, none that is also learned from."""
    held = set(range(EVERY - 1, len(lines.texts), EVERY)[:MOST])
    left = [i for i in range(len(lines.texts)) if i not in held]
    learned = Lines([lines.texts[i] for i in left], [lines.follows[i] and i - 1 not in held for i in left])
    texts = set(learned.texts)
    return learned, [lines.texts[i] for i in sorted(held) if lines.texts[i] not in texts]


def together(parts: Sequence[Lines]) -> Lines:
    """Return several files as one."""
    return Lines([text for part in parts for text in part.texts], [f for part in parts for f in part.follows])


def divided(corpus: Sequence[Path], heldout: Sequence[Path]) -> tuple[dict[str, Lines], dict[str, list[str]]]:
    """Return what to learn from and what to score on, by file: other files, or else lines held out of the corpus.

    Raises:
        TrainingError: a file cannot be read, or there are too few lines to hold some out.
    """
    files = read_all(corpus)
    if heldout:
        return files, {name: lines.texts for name, lines in read_all(heldout).items()}
    parts = {name: hold_out(lines) for name, lines in files.items()}
    held = {name: texts for name, (_, texts) in parts.items() if texts}
    if not held:
        count = sum(len(lines.texts) for lines in files.values())
        raise TrainingError(f"{count} lines are too few to hold some out; give text to score on with --heldout")
    return {name: learned for name, (learned, _) in parts.items()}, held
