"""Parts of a page as plain data, drawn by whoever shows them: words, what is offered, charts, and tables."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from encoder.pictures.export.caption import begun
from encoder.pictures.expression import Kept, make_now
from encoder.pictures.figures.drawn import tell_apart
from encoder.pictures.lab import (
    Ask,
    Beside,
    HeadBoard,
    Long,
    LongTable,
    LongTables,
    MarkedLines,
    Note,
    Part,
    Press,
    Show,
    Switch,
    Table,
    When,
    Words,
    all_of,
    pictures_of,
)
from encoder.pictures.link import spell
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.steps import STEP
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.support.theme import Theme
from encoder.trace.unpadded import first_lost

Item: TypeAlias = dict[str, Any]
WORDY = ("words",)  # kinds with words in their cells: on a phone they stay wide enough to be read and scroll
NAN = re.compile(r"\bnan\b")
LOST = """Some values of this run are not finite numbers: they outgrew what float32 holds, or a row has no key left to \
look at. Where a sentence says nan there is no number, and nothing follows from it."""


def begin(long: Long, scene: Scene) -> str:
    """Let everything begin."""
    return ""


@dataclass
class Items:
    """Makes the items of parts.

    Attributes:
        ask: what is asked of a picture.
        kept: what keeps the results of calls, of what is asked.
        theme: of charts.
        offer: how long something takes, in words, where it is to be asked for first; empty where it begins.
        known: calls that were made already, with what they gave.
        last: the picture that words and tables follow which have none of their own.
    """

    ask: Callable[[Picture], Scene]
    kept: Callable[[Scene], Kept] = lambda scene: make_now
    theme: Theme = "light"
    offer: Callable[[Long, Scene], str] = begin
    known: dict[Any, Any] = field(default_factory=dict)
    last: Picture = STEP

    def of(self, parts: Sequence[Part]) -> list[Item]:
        """Return the items of parts, in their order.

        What cannot be measured, or be asked of this run, is a sentence in its place.

        Raises:
            EncoderError: that is so of all of them.
        """
        items, errors = list[Item](), dict[str, EncoderError]()
        for at, part in enumerate(parts):
            try:
                items += self.of_part(part, parts[at:])
            except EncoderError as error:  # said once, in the place of the first that it is true of
                if str(error) not in errors:
                    items.append({"kind": "error", "words": f"{begun(str(error)).rstrip('.')}."})
                errors[str(error)] = error
        if errors and all(item["kind"] == "error" for item in items):
            raise next(iter(errors.values()))
        return items

    def explained(self, parts: Sequence[Part]) -> list[Item]:
        """Return the items of parts, and where one says nan of a run that lost its numbers, what that means.

        Raises:
            EncoderError: what all of them need cannot be measured, or be asked of this run.
        """
        items = self.of(parts)
        run = self.answer_of(STEP).scene.run if any(map(NAN.search, spoken(items))) else None
        lost = run is not None and first_lost(run) is not None
        return [*items, {"kind": "paragraph", "words": LOST}] if lost else items

    def of_part(self, part: Part, rest: Sequence[Part]) -> list[Item]:
        """Return the items of a part; `rest` are it and those that follow."""
        if isinstance(part, str):
            return [{"kind": "paragraph", "words": part}]
        if isinstance(part, Picture | Show):
            return [self.shown(part if isinstance(part, Show) else Show(part))]
        if isinstance(part, Note):
            return [{"kind": part.kind, "words": self.words(part.words, rest)}]
        if isinstance(part, Ask):
            return [self.asked(part, rest)]
        if isinstance(part, Press):
            switches = [pressed(switch) for switch in part.switches(self.answer(rest))]
            return [{"kind": "press", "name": part.label, "label": part.label, "switches": switches}]
        if isinstance(part, MarkedLines):
            lines = [
                {"pieces": line.pieces, "note": line.note, "opens": line.opens and pressed(line.opens)}
                for line in part.lines(self.answer(rest))
            ]
            return [{"kind": "lines", "name": part.key, "lines": lines}]
        if isinstance(part, Table):
            return [table(part, part.columns(self.answer(rest)))]
        if isinstance(part, HeadBoard):
            shares = [[*map(float, row)] for row in part.shares(self.answer(rest))]
            return [{"kind": "board", "name": part.key, "label": part.label, "shares": shares}]
        if isinstance(part, LongTables):
            return [item for table in part.tables(self.answer(rest)) for item in long_table(part, table)]
        if isinstance(part, When):
            return self.of(part.parts if part.holds(self.answer(rest)) else part.otherwise)
        if isinstance(part, Long):
            seconds = self.offer(part, self.answer(rest).scene)
            return [{"kind": "wait", "words": f"{part.offer} ({seconds})"}] if seconds else self.of(part.parts)
        if isinstance(part, Beside):
            return [{"kind": "beside", "columns": [self.of_part(each, rest) for each in part.parts]}]
        raise TypeError(f"{part!r} is drawn by a page's own code, and has no items")

    def answer(self, parts: Sequence[Part]) -> Answer:
        """Return the answer of the picture that comes next, or of the last one."""
        self.last = next(pictures_of(parts), self.last)
        return self.answer_of(self.last)

    def answer_of(self, picture: Picture) -> Answer:
        """Return the answer of a picture, which measures no call that another one has measured."""
        scene = self.ask(picture)
        answer = picture.of(scene, self.kept(scene), self.known)
        self.known = answer.known
        return answer

    def words(self, words: Words, parts: Sequence[Part]) -> str:
        """Return words, or what they are of the picture that comes next."""
        return words if isinstance(words, str) else words(self.answer(parts))

    def shown(self, show: Show) -> Item:
        """Return a picture as a chart, with all that is said of it."""
        self.last, answer = show.picture, self.answer_of(show.picture)
        figure, run = answer.figure(self.theme), answer.scene.run
        if run is not None and run.tokenization.second:
            tell_apart(figure, run.tokens, run.tokenization.second, self.theme)
        return {
            "kind": "picture",
            "picture": show.picture.key,
            "query": answer.query,
            "title": answer.title,
            "alt": answer.alt,
            "sentence": answer.sentence,
            "more": self.words(show.more, (show,)),
            "wide": answer.kind in WORDY,
            "figure": figure.to_dict(),
        }

    def file_of(self, parts: Sequence[Part], name: str, kind: str) -> bytes | None:
        """Return a table as a file, by the name that its item has; None where there is no such table or kind."""
        for part in all_of(parts, LongTables):
            for table in part.tables(self.answer_of(STEP)):
                if table_name(part, table) == name and kind in table.files:
                    return table.files[kind]()
        return None

    def asked(self, ask: Ask, rest: Sequence[Part]) -> Item:
        """Return what is offered, as a link spells it and as people call it, and what is chosen."""
        scene, option = self.answer(rest).scene, ask.option
        chosen = "" if ask.widget == "given" else scene[option]  # who gave it has it
        values = list(option.offered(scene)) if option.offered else []
        named = ask.named or (token_name if ask.widget == "token" else lambda scene, value: str(value))
        return {
            "kind": "ask",
            "name": option.key,
            "label": ask.label,
            "widget": ask.widget,
            "many": option.many,
            "most": ask.most,
            "values": [spell(value) for value in values],
            "texts": [named(scene, value) for value in values],
            "chosen": [spell(value) for value in chosen] if option.many else spell(chosen),
        }


def spoken(items: Sequence[Item]) -> Iterator[str]:
    """Return all that items say."""
    for item in items:
        yield from (item[name] for name in ("words", "sentence", "more") if name in item)
        for column in item.get("columns", ()):
            yield from spoken(column)


def token_name(scene: Scene, position: int) -> str:
    """What a token is called where one is chosen."""
    return f"{position} {shown(scene.t.tokens[position])}"


def pressed(switch: Switch) -> Item:
    """Return a switch: what it says, whether it is pressed, and what a press makes of the address."""
    return {"text": switch.text, "pressed": switch.pressed, "makes": dict(switch.makes)}


def table_name(part: LongTables, long: LongTable) -> str:
    """Return what a table that is saved is called."""
    return f"{part.key}-{long.name}"


def long_table(part: LongTables, long: LongTable) -> list[Item]:
    """Return what is said of a table, its first rows, and what it can be saved as."""
    name = table_name(part, long)
    files = {"kind": "files", "name": name, "kinds": list(long.files)}
    return [{"kind": "paragraph", "words": long.words}, table(Table(name, lambda answer: {}), long.columns), files]


def table(part: Table, columns: Mapping[Any, Sequence[Any]]) -> Item:
    """Return a table; the first column names the rows."""
    rows = [
        ["" if cell is None else cell if isinstance(cell, int | str) else float(cell) for cell in row]
        for row in zip(*columns.values(), strict=True)
    ]
    return {"kind": "table", "name": part.key, "head": [str(name) for name in columns], "rows": rows}
