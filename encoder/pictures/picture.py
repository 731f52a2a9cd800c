"""A picture as a value: a question, the call that measures it, its dimensions, and what it says."""

import html
import io
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np

from encoder.explain.snippet import maker_of
from encoder.metrics.word_kinds import tokens_drawn
from encoder.pictures.chart import Chart, ends_said
from encoder.pictures.export.caption import About, caption, file_name
from encoder.pictures.export.tables import Rows, to_csv
from encoder.pictures.expression import RUNS, Expression, Kept, T, call, changed, lines, make_now, variables, work_out
from encoder.pictures.figures.drawn import Drawn
from encoder.pictures.link import to_query
from encoder.pictures.numbers import Names, Numbers
from encoder.pictures.scene import Needs, Option, Scene, names_along
from encoder.pictures.screen import KINDS
from encoder.support.cached_property import cached_property
from encoder.support.errors import EncoderError
from encoder.support.import_names import on_demand
from encoder.support.selection import CHOICES, Choice, Selection
from encoder.support.theme import Kind, Theme
from encoder.trace.trace import Trace

upstairs = on_demand("encoder.pictures", {"cell_of": "encoder.pictures.picture_files"})  # what draws it stands on it
V = TypeVar("V")
Given: TypeAlias = V | Callable[[Scene], V]  # a value, or what makes it of what is asked
MADE = {*RUNS, "enc"}  # the variables that lines of code can make
DRAWN = "words_only"  # the name in a link of what is drawn of a picture of pairs of tokens


def given(value: Any, scene: Scene) -> Any:
    """A value, or what it is of what is asked."""
    return value(scene) if callable(value) else value


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """A picture: everything else about it follows from this.

    Attributes:
        key: its name, the same for ever, in links and on the command line.
        page: the key of the page where it stands.
        question: what it answers, for people.
        measure: the expression of the library that gives its numbers, or a list of several, for all places of the
            dimensions in `chosen`; a variable that the scene names in `extra` stands for numbers that no code makes.
        dims: the names of the dimensions that come out of it. "layer", "after" (the input, then each layer), "head",
            "block" (heads, then feed-forward), "token", "query", "key" have their names from the run and the model,
            "series" and others from `names`; a name that nobody gives, such as "dimension", says what is counted.
        kind: how it is drawn, a key of `encoder.pictures.screen.KINDS`.
        title: what it is called, for what is chosen.
        say: its finding for what is chosen, in sentences with this run's numbers.
        about: what its caption names: run, step, layer, head, what else the numbers are of, and which steps they come
            from, so that only changes that reach them are named.
        unit: what the numbers are, for an axis.
        values: how they are coloured.
        chosen: the dimensions, leading ones in this order, of which one place is drawn, and which.
        options: what else may be chosen.
        names: the names along dimensions that have none by themselves.
        rows: the dimension that is drawn downwards, where that is not the first one drawn.
        needs: the runs that it is asked of.
        unfolds: the choices that its page needs to show it.
        pairs: whether tokens that are no words may be left out of it; "words" where they always are.
        drawn_by: the expression of which are drawn by a choice, where these are no tokens.
        look: what else the function that draws it is told; "at" are the positions of tokens that are some of many.
        heavy: whether it takes so long that its page measures it only when it is asked for.
    """

    key: str
    page: str
    question: str
    measure: Callable[[Scene], Any]
    dims: Given[tuple[str, ...]]
    title: Given[str]
    say: Callable[["Answer"], str]
    about: Callable[[Scene], About]
    kind: Given[str] = "matrix"
    unit: Given[str] = ""
    values: Kind | Callable[["Answer"], Kind] = "positive"
    chosen: Mapping[str, Callable[[Scene], int]] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    names: Callable[["Answer"], Mapping[str, Names]] = lambda answer: {}
    rows: str = ""
    needs: Needs = "run"
    unfolds: Mapping[str, str] = field(default_factory=dict)
    pairs: Given[bool | Choice] = False
    drawn_by: Callable[[Scene, Choice], Expression] = lambda scene, choice: call(tokens_drawn, T, choice)
    look: Callable[["Answer"], Mapping[str, Any]] = lambda answer: {}
    heavy: Given[bool] = False

    def check_choices(self, scene: Scene) -> None:
        """Refuse a choice that is not offered.

        Raises:
            EncoderError: there is one.
        """
        for option in self.options:
            option.chosen(scene)

    def of(self, scene: Scene, kept: Kept = make_now, known: Mapping[Any, Any] | None = None) -> "Answer":
        """The picture of what is asked.

        `kept` gets every call of the measurement and the way to make it; `known` are calls that were made already, with
        what they gave.
        """
        return Answer(self, scene, kept, dict(known or {}))


@dataclass(frozen=True, eq=False)
class Answer:
    """A picture of what was asked; what it holds is worked out when it is asked for."""

    picture: Picture
    scene: Scene
    kept: Kept
    known: dict[Hashable, Any]

    def value(self, expression: Any) -> Any:
        """The value of an expression; what is measured by the same call is not measured twice."""
        return work_out(expression, self.scene.names, self.kept, self.known)

    @cached_property
    def measured(self) -> Any:
        """What the measurement gave, for all places of the chosen dimensions."""
        return self.value(self.picture.measure(self.scene))

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The names of all dimensions."""
        dims: tuple[str, ...] = given(self.picture.dims, self.scene)
        return dims

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each chosen dimension."""
        return {dim: place(self.scene) for dim, place in self.picture.chosen.items() if dim in self.dims}

    @cached_property
    def all_numbers(self) -> Numbers:
        """All that was measured, for all places of the chosen dimensions."""
        return Numbers(self.measured, self.dims, self.names(self.dims))

    def names(self, dims: tuple[str, ...]) -> dict[str, Names]:
        """The names along dimensions."""
        return names_along(self.scene, dims) | dict(self.picture.names(self))

    @cached_property
    def cut_by(self) -> Expression | None:
        """The expression of which tokens are drawn of a picture of pairs; None where all are."""
        pairs = given(self.picture.pairs, self.scene)
        chosen = pairs if isinstance(pairs, str) else dict(self.scene.view.choices).get(DRAWN)
        choice: Choice = next((each for each in CHOICES if each == chosen), "all")
        if not pairs or choice == "all":
            return None
        return self.picture.drawn_by(self.scene, choice)

    @cached_property
    def selection(self) -> Selection | None:
        """The tokens that are drawn of a picture of pairs; None where all are."""
        drawn: Selection | None = None if self.cut_by is None else self.value(self.cut_by)
        return None if drawn is None or drawn.whole else drawn

    @cached_property
    def left_out(self) -> str:
        """Which tokens are not drawn, and how much weight rests there if it draws weights; empty where all are."""
        if self.selection is None:
            return ""
        shares = self.own_values == "share"
        return self.selection.sentence(self.all_numbers.at(**self.places).array if shares else None)

    @property
    def at(self) -> Sequence[int] | None:
        """The positions of the tokens that are drawn, where they are some of many."""
        at: Sequence[int] | None = self.picture.look(self).get("at") if self.selection is None else self.selection.at
        return at

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers that are drawn, the rows first."""
        numbers = self.all_numbers.at(**self.places)
        if self.kind == "words":
            words = tuple(tuple(str(word) for word, _ in row) for row in numbers.values)
            return Numbers(numbers.array, numbers.dims, numbers.names, words)
        if self.selection is not None:
            numbers = numbers.cut(self.selection.at, *numbers.dims[-2:])
        if self.picture.rows and numbers.dims[-2] != self.picture.rows:
            *others, rows, columns = numbers.dims
            return Numbers(np.swapaxes(numbers.array, -1, -2), (*others, columns, rows), numbers.names)
        return numbers

    @property
    def kind(self) -> str:
        """How it is drawn."""
        kind: str = given(self.picture.kind, self.scene)
        return kind

    @property
    def values(self) -> Kind:
        """How its numbers are coloured; of shares of which some are left out up to the largest of those drawn."""
        kind = self.own_values
        return "positive" if kind == "share" and self.selection is not None else kind

    @property
    def own_values(self) -> Kind:
        """How its numbers are coloured where none is left out."""
        values = self.picture.values
        return values(self) if callable(values) else values

    @cached_property
    def title(self) -> str:
        """What it is called."""
        title: str = given(self.picture.title, self.scene)
        return title

    @cached_property
    def sentence(self) -> str:
        """Its finding."""
        return self.picture.say(self)

    @property
    def alt(self) -> str:
        """What a screen reader says: what it is, and its finding."""
        begun = self.sentence.lower().startswith(self.title.lower())
        return self.sentence if begun else f"{self.title}. {self.sentence}"

    @cached_property
    def caption(self) -> str:
        """What it shows, of what, and what was masked or changed on the way to its numbers."""
        return caption(self.picture.about(self.scene), what=self.alt, scale=self.scale)

    @property
    def expression(self) -> Any:
        """The expression for the numbers that are drawn, in the order in which the library gives them."""
        value: Any = self.picture.measure(self.scene)
        for place in self.places.values():
            value = value[place]
        cut_by = self.cut_by
        if self.selection is None or cut_by is None:
            return value
        return changed(value, lambda part: cut_by.cut(part.numpy()))

    @property
    def runs(self) -> dict[str, Trace]:
        """What the runs are called in its lines of code."""
        scene = self.scene
        named = {"t": scene.run, "a": scene.run, "b": scene.other}
        return {name: run for name, run in named.items() if run is not None}

    @property
    def code(self) -> str:
        """Python that runs by itself and prints its numbers; empty where they were handed over and not measured."""
        if variables(self.expression) - MADE:
            return ""
        return lines(self.expression, self.runs, maker_of(self.scene.encoder.source, self.scene.encoder.config))

    @cached_property
    def chart(self) -> Chart:
        """What is drawn."""
        unit: str = given(self.picture.unit, self.scene)
        look = {name: value for name, value in self.picture.look(self).items() if name != "at"}
        return Chart(self.numbers, self.values, unit, self.at, look)

    def figure(self, theme: Theme = "light") -> Drawn:
        """It on the screen."""
        drawn = KINDS[self.kind](self.chart, theme)
        drawn.numbers = self.rows
        return drawn

    @property
    def scale(self) -> str:
        """The ends of its colours, in words; empty where nothing is coloured."""
        return ends_said(self.chart, self.kind)

    def _repr_html_(self) -> str:
        """Show it as the last line of a notebook's cell; say what it shows where it cannot be drawn there."""
        try:
            return str(upstairs("cell_of")(self)._repr_html_())
        except EncoderError as error:
            return html.escape(f"{self!r} ({error})")

    def __repr__(self) -> str:
        """What it is, and its finding."""
        return f"Answer({self.picture.key}: {self.alt})"

    def rows(self) -> Rows:
        """Its numbers as a table, the header first."""
        return self.numbers.table(self.at)

    def csv(self) -> str:
        """Its numbers as CSV."""
        return to_csv(self.rows())

    def json(self) -> str:
        """Its numbers as JSON, with what they are."""
        numbers = self.numbers
        record = {
            "picture": self.picture.key,
            "question": self.picture.question,
            "caption": self.caption,
            "code": self.code,
            "dims": numbers.dims,
            "names": {dim: along if isinstance(along := numbers.along(dim), list) else None for dim in numbers.dims},
            "words": numbers.words,
            "numbers": jsonable(numbers.array),
        }
        return json.dumps(record, ensure_ascii=False, indent=1)

    def npz(self) -> bytes:
        """Its numbers for numpy, with what they are."""
        with io.BytesIO() as file:
            np.savez(file, numbers=self.numbers.array, about=np.array(self.json()))
            return file.getvalue()

    @cached_property
    def file_name(self) -> str:
        """What its files are called, without an ending: model, step or picture, layer, head, other places."""
        about = self.picture.about(self.scene)
        places = {"layer": about.layer, "head": about.head} | self.places
        where = [f"{dim}{place}" for dim, place in places.items() if place is not None]
        local = about.run.step(about.step).local if about.run and about.step else ""
        return file_name(about.model, local or self.picture.key, *where)

    @property
    def query(self) -> dict[str, str]:
        """The parameters of a link to its page that shows it."""
        return to_query(self.scene.view) | dict(self.picture.unfolds)


def jsonable(values: np.ndarray) -> Any:
    """Numbers as JSON has them: none for what is no finite number."""
    if values.ndim:
        return [jsonable(part) for part in values]
    return values.item() if np.isfinite(values) else None
