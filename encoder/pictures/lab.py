"""A lab as a value: what it says, what a reader sets, and the pictures that answer, in the order of a page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

from encoder.pictures.export.caption import UNCHANGED, About
from encoder.pictures.expression import Expression
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene

P = TypeVar("P")
Words: TypeAlias = str | Callable[[Answer], str]  # or what makes them of the answer of the next picture


@dataclass(frozen=True)
class Note:
    """Words on a page: a paragraph, as a plain text is one too, a heading, a finding that no picture says, or a line.

    Those of an "offer" say what this model lacks, and beside them is the way to one that has it; "code" is Python.
    """

    kind: Literal["paragraph", "heading", "finding", "line", "offer", "code"]
    words: Words


@dataclass(frozen=True)
class Ask:
    """What a reader sets: an option of the pictures that follow, and how it is offered.

    "pills", "list" and "marks" offer its values beside each other, in a list, and along a line; "slider" is a line of
    numbers, "token" a token of the sentence, "text" any text and "lines" one of several lines. "given" is a text or a
    file that no link holds. `named` says what a value is called, `most` how many characters a text may have.
    """

    label: str
    option: Option
    widget: Literal["pills", "list", "marks", "slider", "token", "text", "lines", "given"]
    named: Callable[[Scene, Any], str] | None = None
    most: int = 200


@dataclass(frozen=True)
class Switch:
    """One of several things to press: what it says, whether it is pressed, and what a press makes of the address."""

    text: str
    pressed: bool
    makes: Mapping[str, str]


@dataclass(frozen=True)
class Press:
    """Switches beside each other, which change what is run."""

    label: str
    switches: Callable[[Answer], Sequence[Switch]]


@dataclass(frozen=True)
class Show:
    """A picture with its finding, what else is said of it, and its table unless the page has another."""

    picture: Picture
    more: Words = ""
    table: bool = True


@dataclass(frozen=True)
class Table:
    """Columns of numbers or words; the first one names the rows."""

    key: str
    columns: Callable[[Answer], Mapping[Any, Sequence[Any]]]


@dataclass(frozen=True)
class HeadBoard:
    """A share for each head, layer by layer: a board whose cells choose a head."""

    key: str
    label: str
    shares: Callable[[Answer], Sequence[Sequence[float]]]


Piece: TypeAlias = tuple[str, str]  # of a line: its text, and how it is marked: "at", "key", "both" or not at all


@dataclass(frozen=True)
class MarkedLine:
    """A sentence in pieces, what stands behind it in grey, and what may be pressed there."""

    pieces: tuple[Piece, ...]
    note: str = ""
    opens: Switch | None = None


@dataclass(frozen=True)
class MarkedLines:
    """Sentences below each other, counted from 1."""

    key: str
    lines: Callable[[Answer], Sequence[MarkedLine]]


@dataclass(frozen=True)
class LongTable:
    """A table of which a page shows the first rows: its name, what is said of it, and what makes its files by kind."""

    name: str
    words: str
    columns: Mapping[Any, Sequence[Any]]
    files: Mapping[str, Callable[[], bytes]]


@dataclass(frozen=True)
class LongTables:
    """Tables that are saved as files."""

    key: str
    tables: Callable[[Answer], Sequence[LongTable]]


@dataclass(frozen=True)
class Own:
    """What the page draws by code of its own, by its name there: trained on the spot, or kept in another way."""

    name: str


@dataclass(frozen=True)
class Beside:
    """Parts beside each other: pictures in columns, what a reader sets in a row."""

    parts: tuple["Part", ...]


@dataclass(frozen=True)
class When:
    """Parts that are there where something holds, and others where it does not."""

    holds: Callable[[Answer], bool]
    parts: tuple["Part", ...]
    otherwise: tuple["Part", ...] = ()


@dataclass(frozen=True)
class Long:
    """Parts that take so many operations together: where these are many they are not begun unasked, but offered.

    `of` is the expression that takes them, by which it is known whether its value is at hand, and `nbytes` the memory
    that it takes.
    """

    offer: str
    flops: Callable[[Scene], float]
    parts: tuple["Part", ...]
    of: Callable[[Scene], Expression] | None = None
    nbytes: Callable[[Scene], float] = lambda scene: 0.0


Part: TypeAlias = (
    str
    | Picture
    | Note
    | Ask
    | Press
    | Show
    | Table
    | HeadBoard
    | MarkedLines
    | LongTables
    | Own
    | Beside
    | When
    | Long
)


@dataclass(frozen=True)
class Lab:
    """An experiment of the laboratory: one plain question, and what its page shows.

    `place` says whether it tries something at the chosen layer and head.
    """

    question: str
    parts: tuple[Part, ...]
    place: bool = False


def lab(question: str, *parts: Part, place: bool = False) -> Lab:
    """Return the lab of a question."""
    return Lab(question, parts, place)


def pictures_of(parts: Sequence[Part]) -> Iterator[Picture]:
    """Return the pictures that parts show, in their order."""
    for part in parts:
        if isinstance(part, Picture | Show):
            yield part if isinstance(part, Picture) else part.picture
        elif isinstance(part, Beside | When | Long):
            yield from pictures_of((*part.parts, *getattr(part, "otherwise", ())))


def options_of(parts: Sequence[Part]) -> set[str]:
    """Return the names in a link of all that can be chosen in parts."""
    shown = {option.key for picture in pictures_of(parts) for option in picture.options}
    return shown | {part.option.key for part in all_of(parts, Ask) if part.widget != "given"}


def all_of(parts: Sequence[Part], kind: type[P]) -> Iterator[P]:
    """Return the parts of a kind, those within others too."""
    for part in parts:
        if isinstance(part, kind):
            yield part
        if isinstance(part, Beside | When | Long):
            yield from all_of((*part.parts, *getattr(part, "otherwise", ())), kind)


def in_lab(name: str, **shared: Any) -> Callable[..., Picture]:
    """Return what makes the pictures of an experiment, on its page and with what they share."""
    return partial(Picture, page="lessons", unfolds={"lab": name}, **shared)


def about_sentence(scene: Scene, what: str) -> About:
    """Return what a caption names of an experiment on the sentence, whatever is masked or changed on the page."""
    return About(source=scene.source, scope=f"{what}, {UNCHANGED}")
