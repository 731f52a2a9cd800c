"""Edits in words: a compact form for links and captions that can be read back, and a sentence for a person."""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from encoder.edits.describe import SHOWN, in_runs
from encoder.edits.edit import Edit
from encoder.model.config import LONGEST
from encoder.support.errors import EncoderError

LONGEST_TEXT = 20_000  # characters
MOST_EDITS = 256

RUNS = r"(\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*)"
EDIT = re.compile(rf"([A-Za-z0-9_.]{{1,80}}):([a-z]{{1,10}})(?::v=([^:;,=]+))?(?::h={RUNS})?(?::p={RUNS})?", re.ASCII)
WHOLE = re.compile(r"-?\d{1,40}", re.ASCII)
NUMBER = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,3})?|-inf", re.ASCII)
QUOTED = re.compile(r"(?:[A-Za-z0-9_.~-]|%[0-9A-F]{2})+", re.ASCII)
FORM = (
    "step:action, then :v=value, :h=heads and :p=positions where it has them, such as layers.2.attention.heads:zero:h=3"
)


def edits_to_text(edits: Sequence[Edit]) -> str:
    """The edits as one line without spaces: "layers.2.attention.heads:zero:h=3;embedding.positions:shuffle:v=7".

    A sentence to patch from is percent-encoded. `text_to_edits` reads the line back.

    Raises:
        EncoderError: a patch from a Trace, which no text can hold, or more edits than `text_to_edits` reads.
    """
    if len(edits) > MOST_EDITS:
        raise EncoderError(f"{len(edits)} edits; a text holds at most {MOST_EDITS}")
    text = ";".join(map(edit_to_text, edits))
    if len(text) > LONGEST_TEXT:
        raise EncoderError(f"the edits take {len(text)} characters; a text holds at most {LONGEST_TEXT}")
    return text


def edit_to_text(edit: Edit) -> str:
    """One edit as text."""
    parts = [edit.step, edit.action]
    if isinstance(edit.value, str):
        parts.append(f"v={quote(edit.value, safe='')}")
    elif isinstance(edit.value, int | float):
        parts.append(f"v={edit.value}")
    elif edit.value is not None:
        raise EncoderError(
            f"a patch from a Trace cannot be written as text; give its sentence {edit.value.text[:SHOWN]!r}"
        )
    parts += [f"h={in_runs(edit.heads, '-', ',')}"] if edit.heads else []
    parts += [f"p={in_runs(edit.positions, '-', ',')}"] if edit.positions else []
    return ":".join(parts)


def text_to_edits(text: str) -> tuple[Edit, ...]:
    """The edits that `edits_to_text` wrote; no edits for an empty text. Whether they fit a model is not looked at.

    Raises:
        EncoderError: anything that is not such a text; the message names the part that is wrong.
    """
    if len(text) > LONGEST_TEXT:
        raise EncoderError(f"the edits take {len(text)} characters; a text holds at most {LONGEST_TEXT}")
    parts = text.split(";") if text else []
    if len(parts) > MOST_EDITS:
        raise EncoderError(f"{len(parts)} edits; a text holds at most {MOST_EDITS}")
    return tuple(map(text_to_edit, parts))


def text_to_edit(text: str) -> Edit:
    """One edit from its text."""
    found = EDIT.fullmatch(text)
    if found is None:
        raise EncoderError(f"{text[:SHOWN]!r} is no edit; the form is {FORM}")
    step, action, value, heads, positions = found.groups()
    return Edit(step, action, from_runs(heads), from_runs(positions), None if value is None else read(action, value))


def read(action: str, value: str) -> float | str:
    """The value of an action: a sentence, or a number."""
    if action == "patch":
        if not QUOTED.fullmatch(value):
            raise EncoderError(f"{value[:SHOWN]!r} is no percent-encoded sentence")
        try:
            return unquote(value, errors="strict")
        except UnicodeDecodeError as error:
            raise EncoderError(f"{value[:SHOWN]!r} is no sentence in UTF-8") from error
    if WHOLE.fullmatch(value):
        return int(value)
    if not NUMBER.fullmatch(value):
        raise EncoderError(f"{value[:SHOWN]!r} is no number")
    return float(value)


def from_runs(text: str | None) -> tuple[int, ...] | None:
    """The numbers that `in_runs` wrote; each must be larger than the one before."""
    if text is None:
        return None
    numbers: list[int] = []
    for run in text.split(","):
        first, _, last = run.partition("-")
        more = range(int(first), int(last or first) + 1)
        if not more or (numbers and more[0] <= numbers[-1]) or more[-1] >= LONGEST:
            raise EncoderError(f"{run!r} in {text[:SHOWN]!r} is out of order; numbers go up, from 0 to {LONGEST - 1}")
        numbers += more
    return tuple(numbers)
