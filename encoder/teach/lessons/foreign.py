"""Lessons of somebody else: files that are read in a process of their own, and links.

A link holds a lesson as JSON (`LINK`); links of an earlier version hold a TOML file (`OLD_LINK`). What was read and
what was refused is kept by content: a page asks for its lesson at every click.
"""

import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

from encoder.support import link_text
from encoder.support.errors import EncoderError
from encoder.teach.lessons.lesson import DEPTH, MOST_BYTES, Lesson, LessonError, as_data, check_size, from_data

LINK, OLD_LINK = "j1:", "z:"  # what a lesson in a link starts with
LONGEST_LINK = 6000  # characters
KEPT = 64  # lessons, and refusals
CHILD = Path(__file__).with_name("toml_child.py")
MOST_JSON = 7 * MOST_BYTES  # bytes of the same in JSON, where a character may take six
SECONDS = 5.0  # by the clock
TOO_DEAR = "it takes more memory or time than reading a lesson may: its keys or tables are nested too deeply"
READING = threading.Lock()  # one file at a time, however many come


def pack(lesson: Lesson) -> str | None:
    """The lesson for a link, or None where it is too long for one."""
    text = LINK + link_text.pack(as_data(lesson))
    return text if len(text) <= LONGEST_LINK else None


def is_link(text: str) -> bool:
    """Whether a lesson's name is a lesson in a link."""
    return text.startswith((LINK, OLD_LINK))


def unpack(text: str) -> Lesson:
    """The lesson that `pack` put into a link.

    Raises:
        LessonError: the link is damaged, too long, or holds no valid lesson.
    """
    name = "the linked lesson"
    if not is_link(text) or len(text) > LONGEST_LINK:
        raise LessonError([f"{name}: the link must be {LINK} and up to {LONGEST_LINK} letters, digits, - and _"])
    try:
        if text.startswith(LINK):
            return answer(from_link(text.removeprefix(LINK), name))
        return read(link_text.unsqueeze(text.removeprefix(OLD_LINK), MOST_BYTES), name)
    except LessonError:
        raise
    except EncoderError as error:
        raise LessonError([f"{name}: {error}"]) from None


def read(text: str, name: str = "the lesson") -> Lesson:
    """The lesson that a TOML file of somebody else holds, read with little memory and time.

    Raises:
        LessonError: as `encoder.teach.lessons.lesson.read` does, and where it takes more memory or time than it may.
    """
    check_size(text, name)
    return answer(from_file(text, name))


def answer(outcome: Lesson | LessonError) -> Lesson:
    """The lesson, or the refusal raised anew: a kept one must not gather all the places where it was raised."""
    if isinstance(outcome, LessonError):
        raise LessonError(outcome.problems)
    return outcome


@lru_cache(maxsize=KEPT)
def from_link(body: str, name: str) -> Lesson | LessonError:
    """The lesson that a link holds as JSON, or what is wrong with it."""
    try:
        return from_data(table(link_text.unpack(body, MOST_BYTES, DEPTH)), name)
    except EncoderError as error:
        return refusal(error, name)


@lru_cache(maxsize=KEPT)
def from_file(text: str, name: str) -> Lesson | LessonError:
    """The lesson of a TOML file, or what is wrong with it."""
    try:
        with READING:
            sentence = as_json(text)
        if isinstance(sentence, EncoderError):
            return refusal(sentence, name)
        return from_data(table(link_text.loads(sentence, MOST_JSON, DEPTH)), name)
    except EncoderError as error:
        return refusal(error, name)


def refusal(error: EncoderError, name: str) -> LessonError:
    """What is wrong with a lesson, said with its name."""
    return error if isinstance(error, LessonError) else LessonError([f"{name}: {error}"])


def table(data: object) -> dict[str, object]:
    """The data of a lesson, which is one table."""
    if not isinstance(data, dict):
        raise EncoderError("it is no table of fields")
    return data


@lru_cache(maxsize=4)
def as_json(text: str) -> str | EncoderError:
    """What a TOML file holds as JSON, said by a process of its own, or why it says nothing."""
    try:
        child = subprocess.run(
            [sys.executable, "-I", "-S", str(CHILD)],
            input=text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return EncoderError(TOO_DEAR)
    if child.returncode == 0:
        return child.stdout.decode("ascii")
    why = child.stderr.decode("utf-8", "replace").strip() if child.returncode == 1 else ""
    return EncoderError(f"it is no TOML file: {why.splitlines()[-1][:200]}" if why else TOO_DEAR)
