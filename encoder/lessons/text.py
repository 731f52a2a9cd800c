"""Lessons as text: back to a TOML file, and packed into a link."""

import base64
import binascii
import re
import zlib
from functools import lru_cache
from typing import Any

import tomli_w

from encoder.lessons.lesson import MOST_BYTES, Lesson, LessonError, LessonStep, read

PACKED = "z:"  # what a packed lesson starts with
LONGEST_LINK = 6000  # characters
UNPACKED = 32  # links whose lessons are kept: a page asks for its lesson at every click
BASE64 = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
COUNTS = ("layer", "head")  # fields of a view that are numbers


def write(lesson: Lesson) -> str:
    """The lesson as a TOML file that `encoder.lessons.lesson.read` reads back as the same lesson."""
    steps = [table(step) for step in lesson.steps]
    said = {"learn": lesson.learn, "level": lesson.level, "minutes": lesson.minutes}
    return tomli_w.dumps({"title": lesson.title} | {k: v for k, v in said.items() if v} | {"step": steps})


def table(step: LessonStep) -> dict[str, Any]:
    """One step as a table of the file; what is at its default is left out."""
    found: dict[str, Any] = {"part": step.part} if step.part else {}
    found |= {"page": step.page, "text": step.text}
    if step.view:
        found["view"] = {k: int(v) if k in COUNTS and v.isdigit() else v for k, v in step.view.items()}
    if step.own:
        found["own"] = True
    if step.trial:
        found["check"] = {"trial": step.trial, **step.given}
    if question := step.question:
        found["question"] = {"kind": question.kind, "ask": question.ask}
        if question.word:
            found["question"]["word"] = question.word
        if question.kind == "number":
            found["question"] |= {"low": question.low, "high": question.high}
    return found


def pack(lesson: Lesson) -> str | None:
    """The lesson for a link, or None where it is too long for one."""
    squeezed = zlib.compress(write(lesson).encode("utf-8"), 9)
    text = PACKED + base64.urlsafe_b64encode(squeezed).decode("ascii").rstrip("=")
    return text if len(text) <= LONGEST_LINK else None


@lru_cache(maxsize=UNPACKED)
def unpack(text: str) -> Lesson:
    """The lesson that `pack` put into a link, read once; never more than a lesson's largest size is unpacked.

    Raises:
        LessonError: the link is damaged, too long, or holds no valid lesson.
    """
    name, body = "the linked lesson", text.removeprefix(PACKED)
    if not text.startswith(PACKED) or len(text) > LONGEST_LINK or not BASE64.fullmatch(body):
        raise LessonError([f"{name}: the link must be {PACKED} and up to {LONGEST_LINK} letters, digits, - and _"])
    try:
        squeezed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        whole = zlib.decompressobj()
        plain = whole.decompress(squeezed, MOST_BYTES + 1)
        if len(plain) > MOST_BYTES:
            raise LessonError([f"{name}: it is larger than {MOST_BYTES:,} bytes"])
        if not whole.eof:
            raise LessonError([f"{name}: the link is cut off"])
        return read(plain.decode("utf-8"), name)
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise LessonError([f"{name}: the link is damaged"]) from None
