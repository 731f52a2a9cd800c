"""Views and choices as the parameters of a link, and back. The names of the parameters never change."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from typing import Any

from encoder.edits.edit import Edit
from encoder.edits.edit_text import edits_to_text, text_to_edits
from encoder.model.steps.catalogue import step_names
from encoder.pictures.view import Cell, View
from encoder.support.errors import EncoderError
from encoder.support.typed_fields import NAME

LONGEST_IN_URL = 1500
MOST_PATCHED = 4  # sentences that a link may have run besides its own
MOST_HIDDEN = 512
VERSION = "1"  # of links
FIELDS = {field.name: None for field in fields(View) if field.name != "choices"}.keys()  # in the order of a link
LESSON = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
CELL = re.compile(r"([a-zA-Z0-9_.]{1,80}):(\d{1,6}(?:,\d{1,6}){0,3})", re.ASCII)


def to_query(view: View) -> dict[str, str]:
    """The parameters of a link that restores a view; what is at its default is left out."""
    usual = spelled(View())
    parameters = {name: text for name, text in spelled(view).items() if text != usual.get(name)}
    for name in ("sentence", "other", "second", *dict(view.choices)):
        if len(parameters.get(name, "")) > LONGEST_IN_URL:
            parameters.pop(name)
    return parameters | {"v": VERSION} if parameters else {}


def spelled(view: View) -> dict[str, str]:
    """Every field and choice as a link spells it."""
    values = {name: getattr(view, name) for name in FIELDS} | {"edits": edits_to_text(view.edits)}
    return {name: spell(value) for name, value in values.items()} | dict(view.choices)


def from_query(
    query: Mapping[str, str],
    check_model: Callable[[str], None],
    names: Collection[str] | None = None,
) -> tuple[View, list[str]]:
    """The view that a link asks for; what it asks for in vain falls back and is said.

    `check_model` raises EncoderError for a model that is not to be had; `names` are those of the choices that some page
    asks for, None for any.
    """

    def model(text: str) -> str:
        check_model(text)
        return text

    def step(text: str) -> str:
        return allowed(text, text in step_names(), "no step is called so")

    readers: dict[str, Callable[[str], object]] = {
        "sentence": lambda text: one_line(text) or View.sentence,
        "other": lambda text: text if text.strip() else "",
        "second": one_line,
        "model": model,
        "other_model": model,
        "layer": count,
        "head": count,
        "at": count,
        "step": step,
        "hidden": positions,
        "cell": cell,
        "lesson": lambda text: allowed(
            text, LESSON.fullmatch(text), "a lesson's name has 1 to 40 small letters, digits and hyphens"
        ),
        "edits": edits,
    }
    view, notes = View(), []
    changed: dict[str, Any] = {}
    for name in [name for name in readers if name in query]:
        try:
            changed[name] = readers[name](query[name])
        except EncoderError as error:
            shown = getattr(view, name) or "the usual one"
            asked = f"{name.replace('_', ' ')} “{query[name][:40]}”"
            notes.append(f"The link asks for {asked}; {error}. Showing {shown}.")
    others = {name: text for name, text in query.items() if name not in FIELDS | {"v"}}
    changed["choices"], more = read(others, LONGEST_IN_URL, names)
    if (version := query.get("v", VERSION)) != VERSION:
        notes.append(f"The link is of version “{version[:40]}”, this is {VERSION}: some of it may not be restored.")
    return replace(view, **changed), notes + more


def one_line(text: str) -> str:
    """A sentence as its field shows it: on one line; empty where there is nothing to read."""
    return " ".join(text.splitlines()) if text.strip() else ""


def allowed(text: str, fits: object, rule: str) -> str:
    """The text itself where it fits; else an EncoderError that says the rule."""
    if not fits:
        raise EncoderError(rule)
    return text


def is_count(text: str) -> bool:
    """Whether text is a plain whole number that is not absurdly large."""
    return text.isascii() and text.isdigit() and len(text) <= 6


def count(text: str) -> int:
    """A layer, a head, or the step of a lesson."""
    return int(allowed(text, is_count(text), "it must be a whole number from 0"))


def positions(text: str) -> tuple[int, ...]:
    """Positions of tokens, such as 2,5."""
    places = [place for place in text.split(",") if place]
    fits = all(map(is_count, places)) and len(places) <= MOST_HIDDEN
    allowed(text, fits, "it must be positions such as 2,5")
    return tuple(sorted({int(place) for place in places}))


def cell(text: str) -> Cell:
    """The place of a number, such as output:0,5."""
    match = CELL.fullmatch(text)
    if match is None:
        raise EncoderError("it must be a step and an index such as output:0,5")
    return Cell(match[1], tuple(map(int, match[2].split(","))))


def edits(text: str) -> tuple[Edit, ...]:
    """Changes to the run that take a bounded number of other runs."""
    changes = text_to_edits(text)
    if len({edit.value for edit in changes if isinstance(edit.value, str)}) > MOST_PATCHED:
        raise EncoderError(f"a link may patch from {MOST_PATCHED} other sentences at most")
    return changes


MOST = 40  # choices in one link
# What links of pages that the browser draws ask for: it is not said of them that no other page knows them
DRAWN_THERE = {"word", "off", "maps", "more", "after", "guess", "over", "view", "cut", "number", "numbers"}


def read(
    query: Mapping[str, str], longest: int, names: Collection[str] | None = None
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """The choices among a link's parameters, sorted by name, and what to say of those that cannot be taken over.

    `query` is without the fields of the view; a choice has at most `longest` characters. `names` are those that some
    page asks for; without it every name that a choice could have is one.
    """
    elsewhere = set[str]() if names is None else DRAWN_THERE - set(names)
    query = {name: text for name, text in query.items() if name not in elsewhere}
    unknown = [name for name in query if not NAME.fullmatch(name) or (names is not None and name not in names)]
    known = {name: text for name, text in sorted(query.items()) if name not in unknown}
    long = [name for name, text in known.items() if len(text) > longest]
    notes = [f"The link's choice for {name} is too long and is left out." for name in long]
    short = [(name, text) for name, text in known.items() if name not in long]
    if len(short) > MOST:
        notes.append(f"The link makes {len(short)} choices; the first {MOST} are taken over.")
    if unknown:
        listed = "”, “".join(name[:40] for name in unknown[:5])
        notes.append(f"The link also asks for “{listed}”, which is not known here and is left out.")
    return tuple(short[:MOST]), notes


def spell(value: object) -> str:
    """A value as a link spells it."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ",".join(map(spell, value))
    return str(int(value)) if isinstance(value, bool) else str(value)
