"""What a browser asks for when it wants a run or a file, read as what a stranger sent, or refused. Needs no torch."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, GetPydanticSchema, StrictBool, StrictInt, ValidationError
from pydantic_core import core_schema, from_json

from encoder.support.typed_fields import CLOSED, MUST, NAME, Whole, reader

LONGEST = 20_000  # characters of a sentence
IN_ADDRESS = 1_500  # characters of each part of an address
LONGEST_NAME = 2_000  # characters of a model's name and of the edits
FORMATS = ("about", "svg", "png", "pdf", "csv", "json")  # of a picture; "about" is what is said of it
RUN = "run"  # in the place of a picture's key: the whole run
RUN_FORMATS = ("npz", "zip", "page")  # for numpy, a layer as tables, a page that draws itself
# What a table below a page is saved as, by the ending of its name
TABLES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "npz": "application/octet-stream"}
OF_LAYER = (2, 3)  # levels of packets that hold one layer
OF_WORDS = (10, 12)  # those that hold what words at one place are the sum of, and what they cost without each part
OF_PAIR = 13  # that of two sentences, run without changes
OF_MODELS = 14  # that of one sentence in two models; the last
OF_STEP = (8, 9, 11, *OF_WORDS, OF_PAIR)  # those of the numbers of one step, of one number, of one unit, of a part
MOST_PLACES = 8  # of an index, but of one that spells heads or edges of a pair
NO_JSON = "The request is not what this page sends; load the page again."

Pairs = tuple[tuple[str, str], ...]
Name = Annotated[str, Field(strict=True, max_length=LONGEST_NAME)]
Text = Annotated[str, Field(strict=True, max_length=LONGEST)]
Long = Annotated[str, Field(strict=True, max_length=1_000_000)]  # of somebody's own


def pairs(of: Any) -> GetPydanticSchema:
    """Have the pairs of a table in the order of their names."""
    return GetPydanticSchema(
        lambda _, handler: core_schema.no_info_after_validator_function(
            lambda table: tuple(sorted(table.items())), handler(of)
        )
    )


Query = Annotated[  # the parameters of a link
    Pairs, pairs(Annotated[dict[Annotated[str, Field(pattern=rf"^{NAME.pattern}$")], Text], Field(max_length=60)])
]


class RefusedError(Exception):
    """Why not, as one plain sentence, with the status of HTTP that says the same to a program.

    `after` is in how many seconds it may be asked again; 0 where that would not help.
    """

    def __init__(self, status: int, message: str, after: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.after = status, message, after


class Sent:
    """What somebody sent has no fields but those that its class names."""

    __pydantic_config__ = CLOSED


@dataclass(frozen=True)
class RunRequest(Sent):
    """A run that is asked for, of a level of packets; two that are equal have the same packet.

    `layer` is -1 at a level that is not of one layer, `hidden` are positions in order, `edits` is text as a link spells
    it. `off` tells whether the guess without each head is wanted too. `step` and `index` are empty at a level that is
    not of one step, `words` at one that is not of words. `other` is sentence B of a pair, or the name of the other of
    two models, and empty at other levels; `second`, `hidden` and `edits` are empty at that of a pair.
    """

    level: Annotated[Whole, Field(ge=1, le=OF_MODELS)] = 1
    layer: Annotated[Whole, Field(ge=0, le=1000)] = -1
    sentence: Text = ""
    second: Text = ""
    model: Name = ""
    hidden: Annotated[tuple[Annotated[Whole, Field(ge=0, lt=10**6)], ...], Field(max_length=512)] = ()
    edits: Name = ""
    off: StrictBool = True
    step: Name = ""
    index: Annotated[tuple[Annotated[Whole, Field(ge=0, lt=10**9)], ...], Field(max_length=65)] = ()
    words: Annotated[tuple[Annotated[str, Field(strict=True, max_length=200)], ...], Field(max_length=2)] = ()
    other: Text = ""

    def __post_init__(self) -> None:
        """Leave out what a packet of this level does not have."""
        level, of_run = self.level, self.level != OF_PAIR
        if level in OF_LAYER and self.layer < 0:
            raise RefusedError(400, "“layer” must be a whole number from 0.")
        if level != OF_PAIR and len(self.index) > MOST_PLACES:
            raise RefusedError(400, f"“index” must hold at most {MOST_PLACES}.")
        if not (sentence := one_line(self.sentence)):
            raise RefusedError(400, "There is no sentence to run.")
        changes = {
            "layer": self.layer if level in OF_LAYER else -1,
            "sentence": sentence,
            "second": " ".join(self.second.split("\n")).strip() if of_run else "",
            "model": self.model or "base",
            "hidden": tuple(sorted({*self.hidden})) if of_run else (),
            "edits": self.edits if of_run else "",
            "off": self.off and level == 1,
            "step": self.step if level in OF_STEP else "",
            "index": self.index if level in OF_STEP else (),
            "words": self.words if level in (*OF_WORDS, OF_PAIR) else (),
            "other": one_line(self.other) if level in (OF_PAIR, OF_MODELS) else "",
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class FileRequest(Sent):
    """A file of a picture that is asked for: the picture's key, one of FORMATS, and the parameters of a link to it.

    `size` is as on the screen, one column of a paper or two columns, of a file that is drawn. The picture RUN is the
    whole run, whose formats are RUN_FORMATS.
    """

    picture: Name
    format: Name
    query: Query
    size: Literal["shown", "one", "two"] = "shown"

    def __post_init__(self) -> None:
        """Refuse a format of another thing."""
        if self.format not in (RUN_FORMATS if self.picture == RUN else FORMATS):
            raise RefusedError(400, NO_JSON)


@dataclass(frozen=True)
class MoreRequest(Sent):
    """A section of what stands below a page that is asked for, and the parameters of a link to it.

    `agreed` tells whether somebody has asked for what takes long. `given` are texts of somebody's own that no link
    holds. `table` and `kind` ask for a table of the section as a file, one of TABLES.
    """

    page: Name
    section: Name
    query: Query
    theme: Literal["light", "dark"] = "light"
    agreed: StrictBool = False
    given: Annotated[Pairs, pairs(Annotated[dict[Name, Long], Field(max_length=2)])] = ()
    table: Name = ""
    kind: Name = ""

    def __post_init__(self) -> None:
        """Refuse a kind of file that no table is saved as."""
        if self.table and self.kind not in TABLES:
            raise RefusedError(400, NO_JSON)


@dataclass(frozen=True)
class LessonRequest(Sent):
    """A step of a lesson that is asked for, by the lesson's name and the number of the step, counted from 1.

    `page` and `query` are what the screen shows. `show` asks for the answer; `guess` is what was guessed: the position
    of a word, the place of a choice, a number, or None for nothing.
    """

    lesson: Name
    at: Annotated[Whole, Field(ge=1, le=10**6)] = 1
    page: Name = ""
    query: Query = ()
    show: StrictBool = False
    guess: StrictInt | Annotated[float, Field(strict=True, allow_inf_nan=False)] | None = None


@dataclass(frozen=True)
class ClaimRequest(Sent):
    """A claim that somebody judged, by its key, and the model that is to decide it."""

    claim: Name
    model: Name


R = TypeVar("R")


def read(kind: type[R], body: bytes) -> R:
    """Return what the body of a request asks for.

    Raises:
        RefusedError: it is not JSON, or holds what no page of this app sends.
    """
    try:
        values = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise RefusedError(400, NO_JSON) from None
    return wanted(kind, values)


def wanted(kind: type[R], values: Any) -> R:
    """Return what is asked for by these fields, those that are null left out. Raises as `read` does."""
    if isinstance(values, dict):
        values = {name: value for name, value in values.items() if value is not None}
    try:
        request: R = reader(kind).validate_python(values)  # type: ignore[arg-type]  # a class can be hashed
        return request
    except ValidationError as error:
        raise refusal(error) from None


def refusal(error: ValidationError) -> RefusedError:
    """Return what is wrong with the first field that is wrong, as a sentence."""
    first = error.errors(include_url=False)[0]
    name = next((part for part in reversed(first["loc"]) if isinstance(part, str)), "")
    kind, about = first["type"], first.get("ctx", {})
    if kind == "string_too_long":
        count = f"{len(first['input']):,} characters; {about['max_length']:,} are the most that are read here"
        return RefusedError(413, f"“{name}” has {count}.")
    known = name and kind in MUST
    return RefusedError(400, f"“{name}” must {MUST[kind].format(**about)}." if known else NO_JSON)


def one_line(sentence: str) -> str:
    """Return a sentence without breaks of lines, and without spaces around it."""
    return " ".join(sentence.strip().splitlines())
