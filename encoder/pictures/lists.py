"""Whole lists: pictures measured over many sentences, as tables with a row for each sentence, token or pair.

`python -m encoder.pictures.lists LIST labels all_heads --model good-or-bad --out list.csv`: each line is one sentence.
`labels` is what a model with labels says of it: the label, how sure it is, and the word that speaks for it most.
"""

import io
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Target, whole_words
from encoder.experiments.attributions.word_sums import added_by_word
from encoder.metrics.answer import answers, label_names
from encoder.pictures.export.tables import Rows, to_csv
from encoder.pictures.expression import RUNS, variables
from encoder.pictures.numbers import Numbers
from encoder.pictures.picture import Picture
from encoder.pictures.registry import picture, pictures
from encoder.pictures.scene import Scene
from encoder.pictures.view import View
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.support.import_names import naming_extra
from encoder.support.progress import progress
from encoder.trace.trace import Trace

LABELS = "labels"  # beside the keys of pictures
MOST_ROWS = 5_000_000  # of all tables together: some hundreds of megabytes
BATCH, CELLS = 16, 16 * 64**2  # of a batch: sentences, and pairs of tokens of them all, at most
PLAIN = ("layer", "head")  # dimensions whose places are called by their number
UNFIT = ("words", "paths", "outlines", "signed bars")  # kinds that are no numbers with a place each, or of one number


@dataclass(frozen=True)
class Column:
    """A picture that is measured: its name in the table, such as `measured?measure=entropy`, and its choices."""

    name: str
    picture: Picture
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class ListTable:
    """Numbers of the same dimensions over a list of sentences.

    Attributes:
        dims: the dimensions, such as ("layer", "head") or ("layer", "head", "word").
        columns: by name, all of one length: "sentence", the number of the sentence from 0; for each dimension the place
            along it, from 0, and where places have names "DIMENSION name"; then one for each picture.
    """

    dims: tuple[str, ...]
    columns: Mapping[str, np.ndarray[Any, Any]]

    @property
    def name(self) -> str:
        """What a file of it is called, without its ending."""
        return "-".join(self.dims).replace(" ", "_") or "sentence"

    def __len__(self) -> int:
        """How many rows."""
        return len(self.columns["sentence"])

    def rows(self) -> Rows:
        """The table as rows, the header first."""
        yield tuple(self.columns)
        yield from zip(*self.columns.values(), strict=True)

    def csv(self) -> str:
        """The table as CSV text; numbers have nine digits, enough for every float32 to come back exactly."""
        return to_csv(self.rows())

    def parquet(self) -> bytes:
        """The table as a Parquet file, which pandas, Polars, R and DuckDB read."""
        with naming_extra():
            import pyarrow as pa
            import pyarrow.parquet as pq

        file = io.BytesIO()
        pq.write_table(pa.table({name: pa.array(values) for name, values in self.columns.items()}), file)
        return file.getvalue()

    def npz(self) -> bytes:
        """The columns as arrays of numpy, texts among them without pickles."""
        file = io.BytesIO()
        columns: dict[str, Any] = dict(self.columns)
        np.savez_compressed(file, **columns)
        return file.getvalue()


@dataclass(frozen=True)
class Measured:
    """What was measured over a list.

    Attributes:
        tables: one for each set of dimensions.
        cut: the numbers of sentences that the model read the beginning of.
        left_out: why a sentence is in no table, by its number.
    """

    tables: tuple[ListTable, ...]
    cut: tuple[int, ...]
    left_out: Mapping[int, str]

    def table(self, *dims: str) -> ListTable:
        """The table of these dimensions, such as `table("layer", "head")`.

        Raises:
            EncoderError: there is none.
        """
        for table in self.tables:
            if table.dims == dims:
                return table
        there = "; ".join(", ".join(table.dims) for table in self.tables)
        raise EncoderError(f"there is no table of {', '.join(dims)}; there is {there or 'none at all'}")


def fitting() -> tuple[Picture, ...]:
    """The pictures that can be measured over a list: those of one run that are numbers with a place each."""
    of_a_run = (each for each in pictures().values() if each.needs == "run")
    return tuple(each for each in of_a_run if isinstance(each.kind, str) and each.kind not in UNFIT)


def column(text: str) -> Column:
    """A picture to measure, from its key and choices: `arcs`, or `measured?measure=entropy` as a link writes them.

    Raises:
        EncoderError: there is no such picture, or it is of more than one run, or no numbers with a place each.
    """
    key, _, query = text.partition("?")
    wanted, choices = picture(key), tuple(sorted(parse_qsl(query)))
    known = {option.key for option in wanted.options}
    if unknown := [name for name, _ in choices if name not in known]:
        offered = f"it has {', '.join(sorted(known))}" if known else "it has none"
        raise EncoderError(f"the picture {key} has no choice {unknown[0]!r}; {offered}")
    if wanted.needs != "run" or wanted.kind in UNFIT:
        raise EncoderError(
            f"the picture {key} does not give numbers of one sentence; choose one of those in `fitting()`"
        )
    return Column(text, wanted, choices)


@dataclass
class TableParts:
    """The parts of a table that is being made, a piece for each sentence, in any order."""

    columns: dict[str, list[np.ndarray[Any, Any]]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    rows: int = 0

    def add(self, number: int, answers: Mapping[str, Numbers], dims: tuple[str, ...]) -> None:
        """Add the numbers of one sentence, of pictures of the same dimensions."""
        first = next(iter(answers.values()))
        shape = first.array.shape
        size = int(np.prod(shape))
        self.rows += size
        self.numbers.append(number)
        self.put("sentence", np.full(size, number, np.int32))
        for dim, places in zip(dims, np.indices(shape, np.int32), strict=True):
            self.put(dim, places.ravel())
            names = first.along(dim)
            if dim not in PLAIN and not isinstance(names, str):
                self.put(f"{dim} name", np.array([shown(name, 60) for name in names], np.str_)[places.ravel()])
        for name, answer in answers.items():
            values = answer.array
            if values.shape != shape:
                raise EncoderError(f"the picture {name} has {values.shape} numbers where others have {shape}")
            self.put(name, values.flatten())

    def put(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """Add to a column."""
        self.columns.setdefault(name, []).append(values)

    def table(self, dims: tuple[str, ...]) -> ListTable:
        """The table of all that was added, the first sentence first."""
        order = np.argsort(self.numbers)
        return ListTable(
            dims, {name: np.concatenate([parts[i] for i in order]) for name, parts in self.columns.items()}
        )


class LabelRows:
    """What a model with labels says of the sentences of a list, a row for each; of a tagger one for each word.

    Columns beside "sentence" and "text", and for a tagger "of word": the "label", its "share", of a regression its
    number, the "word" that speaks for it most, and what that "adds": to the lead of the label over the next one, or to
    the label alone where labels do not compete.

    Raises:
        EncoderError: the model names no labels.
    """

    def __init__(self, encoder: TextEncoder, sentences: Sequence[str]) -> None:
        """No row yet."""
        self.encoder, self.sentences, self.rows = encoder, sentences, dict[int, list[dict[str, Any]]]()
        if answers(encoder.config).labels is None:
            raise EncoderError(f"{encoder.source.name!r} names no labels")

    def add(self, number: int, trace: Trace) -> None:
        """Add what is said of a sentence."""
        how, names, text = answers(trace.config), label_names(self.encoder), trace.tokenization
        words = [text.spelled(word) for word in whole_words(trace)]
        self.rows[number] = []
        for place in how.places(trace, []):
            scores = how.scores(trace, place)
            first, *others = scores.topk(min(2, how.count)).indices.tolist() if how.in_shares else [0]
            against = others[0] if others and how.competing else None
            adds = added_by_word(self.encoder, trace, Target(place, first, against))[:-1]
            most = int(adds.argmax())
            of_word = {} if how.of_sentence else {"of word": text.spelled(text.word_of(place))}
            row = {"label": names[first], "share": float(how.shares(scores)[first]), "word": words[most]}
            self.rows[number].append(of_word | row | {"adds": float(adds[most])})

    def table(self) -> ListTable:
        """The table of all that was added, the first sentence first."""
        rows = [{"sentence": i, "text": self.sentences[i]} | row for i in sorted(self.rows) for row in self.rows[i]]
        names = rows[0] if rows else ("sentence",)
        return ListTable(("label",), {name: np.array([row[name] for row in rows]) for name in names})


@dataclass(frozen=True)
class ListProgress:
    """How many sentences of a list are measured, of how many; with the last one what was measured."""

    done: int
    total: int
    measured: Measured | None = None


def measuring(
    encoder: TextEncoder,
    sentences: Sequence[str],
    pictures: Sequence[str],
    *,
    layer: int = 0,
    head: int = 0,
    most_rows: int = MOST_ROWS,
) -> Generator[ListProgress, None, None]:
    """Measure pictures over a list, and yield after each sentence how far it is; see `measure`."""
    columns = [column(text) for text in dict.fromkeys(pictures) if text != LABELS]
    labelled = LabelRows(encoder, sentences) if LABELS in pictures else None
    by_dims: dict[tuple[str, ...], TableParts] = {}
    cut, of_all = list[int](), dict[str, Any]()
    by_length, left_out = numbered_by_length(encoder, sentences)
    done = len(left_out)
    yield from (ListProgress(number, len(sentences)) for number in range(done))
    for number, trace in runs_of(encoder, sentences, by_length):
        yield ListProgress(done, len(sentences))
        done += 1
        try:
            if isinstance(trace, EncoderError):
                raise trace
            view = View(sentence=sentences[number], layer=layer, head=head)
            measured = dict(of_run(encoder, trace, view, columns, of_all))
            if labelled is not None:
                labelled.add(number, trace)
        except EncoderError as error:
            left_out[number] = str(error)
            continue
        finally:
            if isinstance(trace, Trace):  # what measured it may hold it, and with it a whole batch
                trace.let_go(partial(encoder.trace, sentences[number]))
        if len(trace.tokenization.text) < len(sentences[number]):
            cut.append(number)
        for dims, alike in apart_by_dims(measured).items():
            by_dims.setdefault(dims, TableParts()).add(number, alike, dims)
        if sum(parts.rows for parts in by_dims.values()) > most_rows:
            raise EncoderError(
                f"with {done:,} of {len(sentences):,} sentences, the tables have more than {most_rows:,} rows; make "
                "the list shorter, or choose pictures with fewer numbers"
            )
    tables = tuple(parts.table(dims) for dims, parts in by_dims.items())
    if labelled is not None:
        tables = (labelled.table(), *tables)
    measured_all = Measured(tables, tuple(sorted(cut)), dict(sorted(left_out.items())))
    yield ListProgress(len(sentences), len(sentences), measured_all)


def numbered_by_length(encoder: TextEncoder, sentences: Sequence[str]) -> tuple[dict[int, list[int]], dict[int, str]]:
    """Return the numbers of the sentences of each length, in tokens, and why others are left out, by their numbers."""
    by_length, left_out = dict[int, list[int]](), dict[int, str]()
    for number, sentence in enumerate(sentences):
        try:
            if not sentence.strip():
                raise EncoderError("nothing is written there")
            by_length.setdefault(len(encoder.tokenize(sentence).ids), []).append(number)
        except EncoderError as error:
            left_out[number] = str(error)
    return by_length, left_out


def runs_of(
    encoder: TextEncoder, sentences: Sequence[str], by_length: Mapping[int, Sequence[int]]
) -> Iterator[tuple[int, Trace | EncoderError]]:
    """Run sentences, those of one length together, and yield the number of each with its run, or why it has none."""
    for length, numbers in by_length.items():
        size = max(1, min(BATCH, CELLS // max(length, 1) ** 2))
        for start in range(0, len(numbers), size):
            together = numbers[start : start + size]
            try:
                yield from zip(together, encoder.trace([sentences[number] for number in together]), strict=True)
            except EncoderError as error:  # which the length alone decides
                yield from ((number, error) for number in together)


def apart_by_dims(pictures: Mapping[str, Numbers]) -> dict[tuple[str, ...], dict[str, Numbers]]:
    """The pictures of each table by their names: those of the same dimensions.

    Some are of the words of a sentence and others of all its tokens; where both are there the latter's are "token".
    """
    tables: dict[tuple[str, ...], dict[str, Numbers]] = {}
    for name, numbers in pictures.items():
        tables.setdefault(numbers.dims, {})[name] = numbers
    for alike in list(tables.values()):
        longest = max(numbers.array.size for numbers in alike.values())
        if len({numbers.array.shape for numbers in alike.values()}) > 1:
            for name in [name for name, numbers in alike.items() if numbers.array.size == longest]:
                numbers = of_tokens(alike.pop(name))
                tables.setdefault(numbers.dims, {})[name] = numbers
    return tables


def of_tokens(numbers: Numbers) -> Numbers:
    """The same numbers, what was called "word" along them "token"."""
    names = {"token" if dim == "word" else dim: names for dim, names in numbers.names.items()}
    return replace(numbers, dims=tuple("token" if dim == "word" else dim for dim in numbers.dims), names=names)


def measure(
    encoder: TextEncoder,
    sentences: Sequence[str],
    pictures: Sequence[str],
    *,
    layer: int = 0,
    head: int = 0,
    most_rows: int = MOST_ROWS,
    hear: Callable[[int, int], None] | None = None,
) -> Measured:
    """Measure pictures over a list of sentences, each as if it were alone, in one pass.

    Sentences of the same number of tokens run together, so that nothing is ever padded.

    Args:
        encoder: the model.
        sentences: what it reads, one after the other.
        pictures: their keys, each with its choices where it has some: `["measured?measure=entropy", "arcs"]`. All
            layers and heads of a picture that has these dimensions are in its table. "labels" gives the table
            `("label",)`, see `LabelRows`.
        layer: of pictures that are of one layer.
        head: of pictures that are of one head.
        most_rows: of all tables together.
        hear: told how many are done, and of how many; what it raises ends the work. Without it there is a bar.

    Raises:
        EncoderError: a picture that is not to be had, or more rows than `most_rows`.
    """
    measured = None
    with nullcontext(hear) if hear else progress("measuring", "sentences") as tell:
        for now in measuring(encoder, sentences, pictures, layer=layer, head=head, most_rows=most_rows):
            tell(now.done, now.total)
            measured = now.measured
    assert measured is not None, "the last step has it"
    return measured


def of_run(
    encoder: TextEncoder, trace: Trace, view: View, columns: Sequence[Column], of_all: dict[str, Any]
) -> Iterator[tuple[str, Numbers]]:
    """Yield the numbers of the pictures of one run; what two of them measure alike is measured once.

    What is measured of no run is kept in `of_all`, for the next one.
    """
    of_this = dict[str, Any]()

    def kept(call: Any, now: Callable[[], Any]) -> Any:
        known = of_this if variables(call) & RUNS else of_all
        if str(call) not in known:
            known[str(call)] = now()
        return known[str(call)]

    for each in columns:
        scene = Scene(replace(view, choices=each.choices), encoder, trace)
        each.picture.check_choices(scene)
        answer = each.picture.of(scene, kept)
        yield each.name, replace(answer.all_numbers, values=answer.all_numbers.array)  # worked out now, or refused


FILES: dict[str, Callable[[ListTable], bytes]] = {
    ".csv": lambda table: table.csv().encode(),
    ".parquet": ListTable.parquet,
}


def make(given: Sequence[str] | None) -> None:
    """Do what the command line says."""
    line = CommandLine(prog="python -m encoder.pictures.lists", description=__doc__.split("\n", 1)[0])
    line.add_argument("list", type=Path, help="a file of text, with a sentence in each line")
    line.add_argument("pictures", nargs="*", default=[LABELS], help=f"keys of pictures, or {LABELS} (default)")
    line.add_argument("--model", default="good-or-bad", help="a bundled model, or the path of a folder")
    line.add_argument("--out", type=Path, default=Path("list.csv"), help=f"ends with {' or '.join(FILES)}")
    asked = line.parse_args(given)
    ending = asked.out.suffix
    if ending not in FILES:
        raise EncoderError(f"{asked.out} ends with {ending or 'nothing'}; it must be {' or '.join(FILES)}")
    whole_file.check(asked.out)
    sentences = asked.list.read_text(encoding="utf-8").splitlines()
    result = measure(TextEncoder.from_pretrained(asked.model), sentences, asked.pictures)
    tables = [table for table in result.tables if len(table)]
    if not tables:
        raise EncoderError(f"{asked.list} has no sentence that could be measured")
    for table in tables:
        out = asked.out if len(tables) == 1 else asked.out.with_stem(f"{asked.out.stem}-{table.name}")
        whole_file.write(out, FILES[ending](table))
        print(f"{out}: {len(table)} rows" + f", {len(result.left_out)} left out" * bool(result.left_out))


def main(given: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
