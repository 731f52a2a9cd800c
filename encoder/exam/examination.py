"""An examination of a model's heads on gold trees: what each relation's best head gets right, and whether it passes."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.answers import Report, WorkWatch, reporting, tally
from encoder.exam.constructed_sentences import AgreementRow, FrameRow, agreement, subjects
from encoder.exam.links import LinkedSentence, gaps, relations
from encoder.exam.passing import ExamRow, judge, tests_of
from encoder.exam.treebank import ExamError, Treebank, bundled_treebanks, given_treebank
from encoder.support.errors import listed, of_kind
from encoder.support.formatting import MARK
from encoder.support.import_names import on_demand
from encoder.support.typed_fields import read_kept

upstairs = on_demand("encoder.exam", {"html_of_exam": "encoder.pictures.notebook_cells"})  # what draws it stands on it
FORMAT, VERSION = "encoder-exam", 2
RESULTS = Path(__file__).parent / "results"  # of the bundled models
SENTENCES, TOKENS = 3555, 24  # of both treebanks with their masked verbs, and about how many tokens each has
OWN = "your trees"  # the name of a treebank that somebody gives


@dataclass(frozen=True)
class ExaminedTreebank:
    """What was read of a treebank: `sentences`, and `gaps` made of them; `left_out` counts both by the reason.

    `tests` are the heads, directions and kinds of links that were tried.
    """

    name: str
    sentences: int
    gaps: int
    left_out: dict[str, int]
    tests: int

    def __str__(self) -> str:
        """Say it to people."""
        missing = "".join(f"; {count:,} left out, {reason}" for reason, count in self.left_out.items())
        return f"{self.name}: {self.sentences:,} sentences, {self.gaps:,} gaps{missing}"


@dataclass(frozen=True)
class Exam:
    """The outcome of an examination: the model, what was read, and a row for each relation and each kind of gap.

    `frames` and `agreement` are of constructed sentences (`encoder.exam.constructed_sentences`), empty where they were
    not asked for.
    """

    model: str
    fingerprint: str
    treebanks: tuple[ExaminedTreebank, ...]
    rows: tuple[ExamRow, ...]
    frames: tuple[FrameRow, ...] = ()
    agreement: tuple[AgreementRow, ...] = ()

    def passed(self, treebank: str | None = None) -> tuple[ExamRow, ...]:
        """Return the rows of a treebank whose head passed, of the first one without a name, by layer and head."""
        return tuple(row for row in self.jobs(treebank) if row.passed)

    def jobs(self, treebank: str | None = None) -> tuple[ExamRow, ...]:
        """Return these rows and those whose head is beyond any fixed distance alone, by layer and head."""
        name = self.treebanks[0].name if treebank is None else treebank
        rows = (row for row in self.rows if row.treebank == name and (row.passed or row.beyond_distance))
        return tuple(sorted(rows, key=lambda row: row.place))

    def row(self, relation: str, treebank: str | None = None) -> ExamRow:
        """Return the row of a relation or a kind of gap in a treebank, the first one without a name.

        Raises:
            ExamError: there is no such row.
        """
        name = self.treebanks[0].name if treebank is None else treebank
        for row in self.rows:
            if (row.treebank, row.relation) == (name, relation):
                return row
        raise ExamError(f"{name} has no row {relation!r:.80}; it has {', '.join(self.relations(name)) or 'none'}")

    def relations(self, treebank: str) -> list[str]:
        """Return the relations that a treebank has rows of."""
        return [row.relation for row in self.rows if row.treebank == treebank]

    def _repr_html_(self) -> str:
        """Show the heads with their jobs as the last line of a notebook's cell, and a row for each relation."""
        return str(upstairs("html_of_exam")(self))

    def to_json(self) -> str:
        """Return everything as JSON, a line for each row."""
        about = {"format": FORMAT, "version": VERSION, "model": self.model, "fingerprint": self.fingerprint}
        parts: dict[str, Sequence[Any]] = {
            "treebanks": self.treebanks,
            "rows": self.rows,
            "frames": self.frames,
            "agreement": self.agreement,
        }
        lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in about.items()]
        for name, values in parts.items():
            inside = ",\n  ".join(json.dumps(rounded(asdict(value)), ensure_ascii=False) for value in values)
            lines.append(f' "{name}": [\n  {inside}\n ]')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def to_csv(self) -> str:
        """Return all rows as CSV, for a spreadsheet; what a kind of row does not have is empty."""
        rows: tuple[Any, ...] = (*self.rows, *self.frames, *self.agreement)
        names = dict.fromkeys(field.name for row in rows for field in fields(row))
        text = io.StringIO()
        text.write(MARK)
        table = csv.DictWriter(text, list(names), lineterminator="\n")
        table.writeheader()
        table.writerows(rounded(asdict(row)) for row in rows)
        return text.getvalue()


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its shares to five digits behind the point."""
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in row.items()}


def read_exam(path: str | Path) -> Exam:
    """Read the JSON of an examination.

    Raises:
        ExamError: the file cannot be read or is none.
    """
    refused = ExamError(f"{path} is not an examination of version {VERSION}; make one: python -m encoder.exam")
    return read_kept(Path(path), Exam, (FORMAT, VERSION), refused)


def bundled_exam(name: str) -> Exam | None:
    """Return the examination of a bundled model on the bundled treebanks; None where there is none."""
    path = RESULTS / f"{name}.json"
    return read_exam(path) if path.is_file() else None


@cache
def exam_by_content(fingerprint: str) -> Exam | None:
    """Return the examination that is shipped of a model with these weights, whatever it is called; None without one."""
    shipped = (read_exam(path) for path in sorted(RESULTS.glob("*.json")))
    return next((exam for exam in shipped if exam.fingerprint == fingerprint), None)


def usual_exam(encoder: TextEncoder) -> Exam:
    """Return the examination of an encoder that is shipped, or make it on the bundled treebanks, as long as that takes.

    Raises:
        ExamError: no sentence of the treebanks can be asked of this model.
    """
    shipped = exam_by_content(encoder.source.fingerprint)
    if shipped is not None:
        return shipped
    exam = examine(encoder, bundled_treebanks())
    return exam if encoder.mask_token is None else replace(exam, frames=tuple(subjects(encoder)))


def examined_on(encoder: TextEncoder, trees: str, called: str) -> Exam:
    """Examine an encoder on the text of a CoNLL-U file; messages call it `called`, and a bundled treebank confirms.

    Raises:
        ExamError: it is no such text, it is too long, or none of its sentences can be asked of this model.
    """
    return examine(encoder, [given_treebank(trees.encode(), called, OWN), bundled_treebanks()[0]])


def with_constructed_sentences(encoder: TextEncoder, exam: Exam, report: Report | None = None) -> Exam:
    """Add what the heads do in constructed sentences, and for a model that guesses words what they do for agreement.

    Raises:
        ExamError: the vocabulary of the model has no mask.
    """
    rows = subjects(encoder, report=report)
    agreeing = agreement(encoder, report=report) if encoder.model.mlm_head is not None else []
    return replace(exam, frames=tuple(rows), agreement=tuple(agreeing))


def examine(encoder: TextEncoder, trees: Treebank | Sequence[Treebank], *, report: Report | None = None) -> Exam:
    """Examine every head of an encoder on every relation of gold trees, and on the subjects of masked verbs.

    Source: Clark et al. 2019, "What Does BERT Look At?", section 4; who passes says `encoder.exam.passing`.

    Args:
        encoder: any encoder; where its vocabulary has no mask, gaps are left out.
        trees: one treebank or several, each of which confirms the others' heads; of one alone no head passes.
        report: is called after each batch with how far it is and the seconds left; without it there is a bar.

    Raises:
        ExamError: no treebank, two of one name, or none of whose sentences the model can read.
    """
    treebanks = [trees] if isinstance(trees, Treebank) else listed("trees", trees, "treebanks")
    for treebank in treebanks:
        of_kind("a member of trees", treebank, Treebank, "a Treebank, as read_treebank gives it")
    names = [treebank.name for treebank in treebanks]
    if not names or len(set(names)) < len(names):
        raise ExamError(f"trees are {', '.join(names) or 'none'}; give one treebank or more, each of another name")
    by_bank = [questions(encoder, treebank) for treebank in treebanks]
    total = sum(len(sentence.words) for both in by_bank for some in both for sentence in some)
    with reporting("examining heads", report) as on_progress:
        watch = WorkWatch(total, on_progress)
        counted = [tuple(tally(encoder, some, watch) for some in both) for both in by_bank]
    read, tallies = list[ExaminedTreebank](), list[tuple[Any, Any]]()
    for name, (first, gapped) in zip(names, counted, strict=True):
        both = first, gapped
        if not both[0].sentences:
            why = ", ".join(f"{count:,} are {reason}" for reason, count in both[0].left_out.items())
            raise ExamError(f"of {name} no sentence can be asked: {why or 'none has a word with a governor'}")
        left_out = {why: sum(part.left_out.get(why, 0) for part in both) for part in both for why in part.left_out}
        tests = sum(map(tests_of, both))
        read.append(ExaminedTreebank(name, both[0].sentences, both[1].sentences, left_out, tests))
        tallies.append(both)
    rows = list[ExamRow]()
    for i, treebank in enumerate(read):
        for part in range(2):
            others = {names[j]: tallies[j][part] for j in range(len(names)) if j != i}
            rows += judge(treebank.name, tallies[i][part], others, treebank.tests)
    return Exam(encoder.source.name, encoder.source.fingerprint, tuple(read), tuple(rows))


def questions(encoder: TextEncoder, treebank: Treebank) -> tuple[list[LinkedSentence], list[LinkedSentence]]:
    """Return the sentences of a treebank as they stand and those with a gap."""
    mask = encoder.mask_token
    return list(relations(treebank)), [] if mask is None else list(gaps(treebank, mask))
