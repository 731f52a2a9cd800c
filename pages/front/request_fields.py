"""What a browser asks for when it wants a run or a file, read as what a stranger sent, or refused. Needs no torch."""

import json
import math
from dataclasses import dataclass
from typing import Any, Literal

from encoder.support.link_text import NAME

LONGEST = 20_000  # characters of a sentence
IN_ADDRESS = 1_500  # characters of each part of an address
LONGEST_NAME = 2_000  # characters of a model's name and of the edits
MOST_HIDDEN = 512
MOST_LAYERS = 1_000
MOST_PARAMETERS = 60  # of a link
FORMATS = ("about", "svg", "png", "pdf", "csv", "json")  # of a picture; "about" is what is said of it
SIZES = ("shown", "one", "two")  # of what is drawn: as on the screen, one column of a paper, two columns
RUN = "run"  # in the place of a picture's key: the whole run
RUN_FORMATS = ("npz", "zip", "page")  # for numpy, a layer as tables, a page that draws itself
# What a table below a page is saved as, by the ending of its name
TABLES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "npz": "application/octet-stream"}
MOST_GIVEN, LONGEST_GIVEN = 2, 1_000_000  # texts that a section is given, and characters of each
OF_LAYER = (2, 3)  # levels of packets that hold one layer
OF_WORDS = (10, 12)  # those that hold what words at one place are the sum of, and what they cost without each part
OF_PAIR = 13  # that of two sentences, run without changes
OF_STEP = (8, 9, 11, *OF_WORDS, OF_PAIR)  # those of the numbers of one step, of one number, of one unit, of a part
LEVELS = (1, *OF_LAYER, 4, 5, 6, 7, *OF_STEP)
NAMES = {"level", "layer", "sentence", "second", "model", "hidden", "edits", "off", "step", "index", "words", "other"}
MOST_PLACES, MOST_OF_PAIR = 8, 65  # of an index, and of one that spells heads or edges of a pair
MOST_WORDS, LONGEST_WORD = 2, 200  # that compete, and characters of each
NO_JSON = "The request is not what this page sends; load the page again."


class RefusedError(Exception):
    """Why not, as one plain sentence, with the status of HTTP that says the same to a program.

    `after` is in how many seconds it may be asked again; 0 where that would not help.
    """

    def __init__(self, status: int, message: str, after: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.after = status, message, after


@dataclass(frozen=True)
class RunRequest:
    """A run that is asked for, of a level of packets; two that are equal have the same packet.

    `layer` is -1 at a level that is not of one layer, `hidden` are positions in order, `edits` is text as a link spells
    it. `off` tells whether the guess without each head is wanted too. `step` and `index` are empty at a level that is
    not of one step, `words` at one that is not of words. `other` is sentence B of a pair, empty at other levels, and
    `second`, `hidden` and `edits` are empty at that of a pair.
    """

    level: int
    layer: int
    sentence: str
    second: str
    model: str
    hidden: tuple[int, ...]
    edits: str
    off: bool
    step: str = ""
    index: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    other: str = ""


@dataclass(frozen=True)
class FileRequest:
    """A file of a picture that is asked for: the picture's key, one of FORMATS, and the parameters of a link to it.

    `size` is one of SIZES, of a file that is drawn. The picture RUN is the whole run, whose formats are RUN_FORMATS.
    """

    picture: str
    format: str
    query: tuple[tuple[str, str], ...]
    size: str = "shown"


@dataclass(frozen=True)
class MoreRequest:
    """A section of what stands below a page that is asked for, and the parameters of a link to it.

    `theme` is "light" or "dark"; `agreed` tells whether somebody has asked for what takes long. `given` are texts of
    somebody's own that no link holds. `table` and `kind` ask for a table of the section as a file, one of TABLES.
    """

    page: str
    section: str
    query: tuple[tuple[str, str], ...]
    theme: Literal["light", "dark"]
    agreed: bool
    given: tuple[tuple[str, str], ...] = ()
    table: str = ""
    kind: str = ""


@dataclass(frozen=True)
class LessonRequest:
    """A step of a lesson that is asked for, by the lesson's name and the number of the step, counted from 1.

    `page` and `query` are what the screen shows. `show` asks for the answer; `guess` is what was guessed: the position
    of a word, the place of a choice, a number, or None for nothing.
    """

    lesson: str
    at: int
    page: str
    query: tuple[tuple[str, str], ...]
    show: bool = False
    guess: float | None = None


@dataclass(frozen=True)
class ClaimRequest:
    """A claim that somebody judged, by its key, and the model that is to decide it."""

    claim: str
    model: str


def fields(body: bytes, names: set[str]) -> dict[str, Any]:
    """Return the fields of a request, each of which must have one of these names.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, NO_JSON) from None
    if not isinstance(values, dict) or values.keys() - names:
        raise RefusedError(400, NO_JSON)
    return values


def read_file(body: bytes) -> FileRequest:
    """Return what the body of a request for a file asks for.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    values = fields(body, {"picture", "format", "query", "size"})
    kind = text(values, "format", LONGEST_NAME)
    picture = text(values, "picture", LONGEST_NAME)
    formats = RUN_FORMATS if picture == RUN else FORMATS
    size = values.get("size", SIZES[0])
    if kind not in formats or size not in SIZES:
        raise RefusedError(400, NO_JSON)
    return FileRequest(picture, kind, parameters(values.get("query")), size)


def read_more(body: bytes) -> MoreRequest:
    """Return what the body of a request for what stands below a page asks for.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    values = fields(body, {"page", "section", "query", "theme", "agreed", "given", "table", "kind"})
    agreed, theme, given = values.get("agreed", False), values.get("theme", "light"), values.get("given") or {}
    if not isinstance(agreed, bool) or theme not in ("light", "dark"):
        raise RefusedError(400, NO_JSON)
    page, section, table, kind = (text(values, name, LONGEST_NAME) for name in ("page", "section", "table", "kind"))
    if (table and kind not in TABLES) or not isinstance(given, dict) or len(given) > MOST_GIVEN:
        raise RefusedError(400, NO_JSON)
    own = tuple((name, text(given, name, LONGEST_GIVEN)) for name in given)
    return MoreRequest(page, section, parameters(values.get("query")), theme, agreed, own, table, kind)


def read_lesson(body: bytes) -> LessonRequest:
    """Return what the body of a request for a step of a lesson asks for.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    values = fields(body, {"lesson", "at", "page", "query", "show", "guess"})
    guess, show = values.get("guess"), values.get("show", False)
    if not isinstance(show, bool) or not (guess is None or (type(guess) in (int, float) and math.isfinite(guess))):
        raise RefusedError(400, NO_JSON)
    lesson, page = text(values, "lesson", LONGEST_NAME), text(values, "page", LONGEST_NAME)
    at = whole(values, "at", 1, 1, 10**6)
    return LessonRequest(lesson, at, page, parameters(values.get("query")), show, guess)


def read_claim(body: bytes) -> ClaimRequest:
    """Return what the body of a request for the verdict of a claim asks for.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    values = fields(body, {"claim", "model"})
    return ClaimRequest(text(values, "claim", LONGEST_NAME), text(values, "model", LONGEST_NAME))


def parameters(query: object) -> tuple[tuple[str, str], ...]:
    """Return the parameters of a link, by name.

    Raises:
        RefusedError: they are not what a link of this app says.
    """
    if not isinstance(query, dict) or len(query) > MOST_PARAMETERS or not all(map(NAME.fullmatch, query)):
        raise RefusedError(400, NO_JSON)
    return tuple((name, text(query, name, LONGEST)) for name in sorted(query))


def read(body: bytes) -> RunRequest:
    """Return what the body of a request for a run asks for.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    return wanted(fields(body, NAMES))


def wanted(request: dict[str, Any]) -> RunRequest:
    """Return the run that is asked for by these fields.

    Raises:
        RefusedError: one of them holds what no page of this app sends.
    """
    level = whole(request, "level", 1, 1, max(LEVELS))
    if level not in LEVELS:
        raise RefusedError(400, f"“level” is one of {', '.join(map(str, LEVELS))}.")
    off = request.get("off", True)
    if not isinstance(off, bool):
        raise RefusedError(400, "“off” is true or false.")
    sentence, other = (one_line(text(request, name, LONGEST)) for name in ("sentence", "other"))
    if not sentence:
        raise RefusedError(400, "There is no sentence to run.")
    of_run = level != OF_PAIR
    return RunRequest(
        level=level,
        layer=whole(request, "layer", None, 0, MOST_LAYERS) if level in OF_LAYER else -1,
        sentence=sentence,
        second=" ".join(text(request, "second", LONGEST).split("\n")).strip() if of_run else "",
        model=text(request, "model", LONGEST_NAME) or "base",
        hidden=positions(request.get("hidden") or []) if of_run else (),
        edits=text(request, "edits", LONGEST_NAME) if of_run else "",
        off=off and level == 1,
        step=text(request, "step", LONGEST_NAME) if level in OF_STEP else "",
        index=places(request.get("index") or [], MOST_PLACES if of_run else MOST_OF_PAIR) if level in OF_STEP else (),
        words=typed(request.get("words") or []) if level in (*OF_WORDS, OF_PAIR) else (),
        other="" if of_run else other,
    )


def one_line(sentence: str) -> str:
    """Return a sentence without breaks of lines, and without spaces around it."""
    return " ".join(sentence.strip().splitlines())


def typed(value: object) -> tuple[str, ...]:
    """Return the words that compete, as somebody types them."""
    if not isinstance(value, list) or len(value) > MOST_WORDS:
        raise RefusedError(400, f"“words” is a list of at most {MOST_WORDS} words.")
    return tuple(text({"a word": word}, "a word", LONGEST_WORD) for word in value)


def whole(request: dict[str, Any], name: str, usual: int | None, least: int, most: int) -> int:
    """Return a whole number within bounds."""
    value = request.get(name, usual)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RefusedError(400, f"“{name}” is a whole number from {least} to {most:,}.")
    return value


def text(request: dict[str, Any], name: str, longest: int) -> str:
    """Return a text that can be written as UTF-8; none is an empty one."""
    value = request.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RefusedError(400, f"“{name}” is a text.")
    if len(value) > longest:
        raise RefusedError(413, f"“{name}” has {len(value):,} characters; {longest:,} are the most that are read here.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError(400, f"“{name}” holds half of a character, which nothing can show.") from None
    return value


def positions(value: object) -> tuple[int, ...]:
    """Return positions of tokens, in order, each once."""
    return tuple(sorted(set(wholes(value, "hidden", "positions", MOST_HIDDEN, 10**6))))


def places(value: object, most: int) -> tuple[int, ...]:
    """Return an index: whole numbers from 0, one for each dimension."""
    return wholes(value, "index", "places", most, 10**9)


def wholes(value: object, name: str, what: str, most: int, end: int) -> tuple[int, ...]:
    """Return a list of whole numbers from 0, below `end`, of at most so many."""
    if not isinstance(value, list) or len(value) > most:
        raise RefusedError(400, f"“{name}” is a list of at most {most} {what}.")
    if not all(isinstance(number, int) and not isinstance(number, bool) and 0 <= number < end for number in value):
        raise RefusedError(400, f"“{name}” is a list of {what}, whole numbers from 0.")
    return tuple(value)
