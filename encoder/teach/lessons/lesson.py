"""Lessons as data: what a lesson file holds, and what is wrong with one.

A lesson is a TOML file of at most 100 kB:

    title = "Word order"
    learn = "What an encoder knows of the order of words."       # may be left out, as the next two
    level = "basics"                           # one of LEVELS
    minutes = 8                                # about how long it takes

    [[step]]                                   # 1 to 80 of them, in their order
    page = "embedding"                         # a page of the app
    text = "Two sentences of the same words."  # one to three sentences
    view = {sentence = "The cat chased the mouse.", layer = 0}   # as in a link to that page
    own = true                                 # it makes sense on any sentence (false without it)
    check = {trial = "same_vectors", positions = "off"}          # a trial of encoder.pictures.labs and its parameters
    question = {kind = "number", ask = "How far apart?", low = 0, high = 2}    # what to predict first

A question is of kind "token" (mark where `word` looks most in the view's layer and head), "number" (guess the number
that the check measures, between `low` and `high`) or "verdict" (guess whether the claim holds). The last two need a
check. A trial that takes a `sentence` is given the view's. `check = {claim = "softmax"}` is the trial of one of
its CLAIMS, by its key; where the view has a sentence, that one is measured and not the claim's.
"""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS
from encoder.support import link_text
from encoder.support.errors import EncoderError

MOST_BYTES, MOST_STEPS = 100_000, 80
DEPTH = 6  # a list of steps, a step, its check, a parameter of that, and what such a parameter holds
LONGEST = {"title": 80, "learn": 400, "text": 600, "ask": 200, "word": 40, "page": 40}
NAME = re.compile(r"[a-z_]{1,20}", re.ASCII)
NOT_IN_VIEW = ("lesson", "at", "v")  # parameters of a link that are not for a step to say
MOST_IN_VIEW = 40
LONGEST_IN_VIEW = 4000
FIELDS = ("page", "text", "view", "own", "check", "question")  # of a step
KINDS = ("token", "number", "verdict")
LEVELS = ("first steps", "basics", "in depth")
LONGEST_TIME = 240  # minutes
MOST_PROBLEMS = 20


class LessonError(EncoderError):
    """A lesson that cannot be used; `problems` are sentences that say where and why."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Question:
    """What to predict before the answer is shown; `low` and `high` bound a number, `word` is the token that looks."""

    kind: str
    ask: str
    word: str = ""
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class LessonStep:
    """One step: a page of the app, what is on it as a link spells it, a text, and what is measured there."""

    page: str
    text: str
    view: Mapping[str, str] = field(default_factory=dict)
    own: bool = False
    trial: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    question: Question | None = None


@dataclass(frozen=True)
class Lesson:
    """A title, what one will learn, the steps, for whom it is, and about how long it takes; 0 minutes are unknown."""

    title: str
    learn: str
    steps: tuple[LessonStep, ...]
    level: str = ""
    minutes: int = 0


class Reader:
    """Reads one table of the file after another and gathers what is wrong with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[str] = []

    def refuse(self, where: str, what: str) -> None:
        """Note a fault."""
        self.problems.append(f"{self.name}{', ' + where if where else ''}: {what}")

    def known(self, where: str, table: Mapping[str, object], names: tuple[str, ...]) -> None:
        """Refuse fields that a table does not have."""
        for extra in [key for key in table if key not in names]:
            self.refuse(where, f"there is no field {extra[:40]!r}; the fields are {', '.join(names)}")

    def text(self, where: str, table: Mapping[str, object], name: str, empty: bool = False) -> str:
        """A text within its length."""
        value = table.get(name, "")
        longest = LONGEST[name]
        if not isinstance(value, str) or len(value) > longest or not (empty or value.strip()):
            text = f"has {len(value)} characters" if isinstance(value, str) else f"is {str(value)[:40]!r}"
            self.refuse(where, f"{name} {text}; it must be text of {0 if empty else 1} to {longest} characters")
            return ""
        return value.strip()

    def table(self, where: str, table: Mapping[str, object], name: str) -> Mapping[str, Any]:
        """A table within a table; empty where there is none."""
        value = table.get(name, {})
        if not isinstance(value, dict):
            self.refuse(where, f"{name} is {str(value)[:40]!r}; it must be a table such as {{name = value}}")
            return {}
        return value


def read(text: str, name: str = "the lesson") -> Lesson:
    """The lesson that a file holds; whether its pages and views exist is for the app to say.

    Args:
        text: the file's text.
        name: what messages call it.

    Raises:
        LessonError: it is too large, no TOML, or a field is missing, unknown or out of its range.
    """
    check_size(text, name)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise LessonError([f"{name}: it is no TOML file: {str(error)[:200]}"]) from None
    try:
        link_text.check(data, DEPTH)
    except EncoderError as error:
        raise LessonError([f"{name}: {error}"]) from None
    return from_data(data, name)


def check_size(text: str, name: str) -> None:
    """Refuse a file that is too large."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise LessonError([f"{name}: it has {size:,} bytes; a lesson has at most {MOST_BYTES:,}"])


def from_data(data: Mapping[str, Any], name: str = "the lesson") -> Lesson:
    """The lesson in tables that were read; raises LessonError as `read` does."""
    reader = Reader(name)
    reader.known("", data, ("title", "learn", "level", "minutes", "step"))
    tables = data.get("step", [])
    if (
        not isinstance(tables, list)
        or not 1 <= len(tables) <= MOST_STEPS
        or not all(isinstance(t, dict) for t in tables)
    ):
        count = len(tables) if isinstance(tables, list) else 0
        reader.refuse("", f"it has {count} steps; a lesson has 1 to {MOST_STEPS}, each under [[step]]")
        tables = []
    title, learn = reader.text("", data, "title"), reader.text("", data, "learn", empty=True)
    level, minutes = data.get("level", ""), data.get("minutes", 0)
    if level not in ("", *LEVELS):
        reader.refuse("", f"level is {str(level)[:40]!r}; it must be one of {', '.join(LEVELS)}")
    if type(minutes) is not int or not 0 <= minutes <= LONGEST_TIME:
        reader.refuse("", f"minutes is {str(minutes)[:40]!r}; it must be a whole number from 0 to {LONGEST_TIME}")
    steps = tuple(step(reader, f"step {number}", table) for number, table in enumerate(tables, 1))
    if reader.problems:
        raise LessonError(reader.problems[:MOST_PROBLEMS])
    return Lesson(title, learn, steps, level, minutes)


def step(reader: Reader, where: str, table: Mapping[str, object]) -> LessonStep:
    """One step of the file."""
    reader.known(where, table, FIELDS)
    own = table.get("own", False)
    if not isinstance(own, bool):
        reader.refuse(where, f"own is {str(own)[:40]!r}; it must be true or false")
    given = check(reader, where, table)
    trial = given.pop("trial", "")
    if "check" in table:
        for problem in labs.problems(trial, given, sentence=True):
            reader.refuse(where, f"check: {problem}")
    asked = reader.table(where, table, "question")
    question = ask(reader, where, asked, bool(trial)) if "question" in table else None
    return LessonStep(
        reader.text(where, table, "page"),
        reader.text(where, table, "text"),
        view(reader, where, table),
        own is True,
        trial if isinstance(trial, str) else "",
        given,
        question,
    )


def check(reader: Reader, where: str, table: Mapping[str, object]) -> dict[str, Any]:
    """What a step measures: a trial and its parameters, or those of a claim."""
    given = dict(reader.table(where, table, "check"))
    if "claim" not in given:
        return given
    reader.known(where, given, ("claim",))
    result = next((claim for claim in CLAIMS if claim.key == given["claim"]), None)
    if result is None:
        reader.refuse(where, f"check: there is no claim {str(given['claim'])[:40]!r}")
        return {}
    given = {"trial": result.trial, **result.given}
    sentence = reader.table(where, table, "view").get("sentence")
    return given | ({"sentence": sentence} if sentence and "sentence" in result.given else {})


def view(reader: Reader, where: str, table: Mapping[str, object]) -> dict[str, str]:
    """What is on the page, every field as a link spells it."""
    result: dict[str, str] = {}
    for name, value in reader.table(where, table, "view").items():
        if not NAME.fullmatch(name) or name in NOT_IN_VIEW or len(result) >= MOST_IN_VIEW:
            reader.refuse(where, f"view has no field {name[:40]!r}; its fields are the parameters of a link")
        elif isinstance(value, bool) or not isinstance(value, str | int) or len(str(value)) > LONGEST_IN_VIEW:
            reader.refuse(where, f"{name} of view must be a text of at most {LONGEST_IN_VIEW} characters or a number")
        else:
            result[name] = str(value)
    return result


def ask(reader: Reader, where: str, table: Mapping[str, object], checked: bool) -> Question:
    """The question of a step."""
    reader.known(where, table, ("kind", "ask", "word", "low", "high"))
    kind = table.get("kind")
    if kind not in KINDS:
        reader.refuse(where, f"kind of question is {str(kind)[:40]!r}; it must be one of {', '.join(KINDS)}")
    elif kind != "token" and not checked:
        reader.refuse(where, f"a question of kind {kind} needs a check, whose outcome is the answer")
    bounds = [table.get(name, usual) for name, usual in (("low", 0), ("high", 1))]
    low, high = (float(b) if isinstance(b, int | float) and not isinstance(b, bool) else math.nan for b in bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        reader.refuse(
            where, f"low and high of the question are {bounds[0]} and {bounds[1]}; low must be the smaller number"
        )
    text = reader.text(where, table, "ask", empty=kind == "token")
    return Question(str(kind), text, reader.text(where, table, "word", empty=True), low, high)
