"""Edits in words: a sentence for a person, and a compact form for links and captions that can be read back."""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from encoder.edits.edit import Edit, bypassed
from encoder.model.config import LONGEST, EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.support.errors import EncoderError
from encoder.support.formatting import where

SHOWN = 60  # characters of a sentence within a sentence


def in_runs(numbers: Sequence[int], to: str, between: str) -> str:
    """Ascending whole numbers with three or more in a row drawn together: 0, 2, 3, 4 as "0,2-4"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spelled = [f"{run[0]}{to}{run[-1]}" if len(run) > 2 else between.join(map(str, run)) for run in runs]
    return between.join(spelled)


PHRASES = {  # {value} is the edit's value, {input} the step that a bypass hands on
    "zero": "set to zero",
    "mean": "replaced by their mean over tokens",
    "scale": "multiplied by {value}",
    "noise": "replaced by noise (seed {value})",
    "replace": "set to {value}",
    "patch": "taken from “{value}”",
    "bypass": "left out, {input} passed on",
    "shuffle": "with rows in random order (seed {value})",
    "shift": "with rows moved by {value}",
    "causal": "with later tokens hidden",
}


def sentence(edit: Edit, config: EncoderConfig) -> str:
    """What an edit does, for a person: "head 3 of layer 2: weighted values set to zero". All counts start from 0.

    Raises:
        EncoderError: the model of that configuration has no such step.
    """
    step = by_name(config).get(edit.step)
    if step is None:
        raise EncoderError(f"no step is called {edit.step[:SHOWN]!r}")
    places = [where(step.layer, in_runs(edit.heads or (), " to ", ", "))]
    if edit.positions:
        places.append(f"position{'s' * (len(edit.positions) > 1)} {in_runs(edit.positions, ' to ', ', ')}")
    at = ", ".join(filter(None, places))
    value = edit.value if edit.value is None or isinstance(edit.value, int | float | str) else edit.value.text
    written = shown(value) if isinstance(value, str) else value
    other = by_name(config)[bypassed(step, config)].title if edit.action == "bypass" else ""
    phrase = PHRASES[edit.action].format(value=written, input=plain(other))
    return f"{at}{': ' if at else ''}{plain(step.title)} {phrase}"


def shown(text: str) -> str:
    """A text on one line, without control characters, and cut where it is long."""
    line = "".join(character for character in " ".join(text.split()) if ord(character) >= 32)
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"


def plain(title: str) -> str:
    """A step's title within a sentence: "Attention: Mean" as "mean (attention)"."""
    group, _, name = title.lower().rpartition(": ")
    return f"{name} ({group})" if group else name


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
    match = EDIT.fullmatch(text)
    if match is None:
        raise EncoderError(f"{text[:SHOWN]!r} is not an edit; the form is {FORM}")
    step, action, value, heads, positions = match.groups()
    return Edit(step, action, from_runs(heads), from_runs(positions), None if value is None else read(action, value))


def read(action: str, value: str) -> float | str:
    """The value of an action: a sentence, or a number."""
    if action == "patch":
        if not QUOTED.fullmatch(value):
            raise EncoderError(f"{value[:SHOWN]!r} is not a percent-encoded sentence")
        try:
            return unquote(value, errors="strict")
        except UnicodeDecodeError as error:
            raise EncoderError(f"{value[:SHOWN]!r} is not a sentence in UTF-8") from error
    if WHOLE.fullmatch(value):
        return int(value)
    if not NUMBER.fullmatch(value):
        raise EncoderError(f"{value[:SHOWN]!r} is not a number")
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
