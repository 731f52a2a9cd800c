"""`python -m encoder.exam`: examine the heads of a model on gold trees and write which of them pass."""

import sys
from pathlib import Path

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.examination import Exam, examine, with_constructed_sentences
from encoder.exam.simple_rules import RULES
from encoder.exam.treebank import ExamError, bundled_treebanks, read_treebank
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.tasks import kept_moments

WRITERS = {".json": "to_json", ".csv": "to_csv"}


def make(given: list[str] | None = None) -> None:
    """Do what the command line says.

    Raises:
        ExamError: the name of --out ends in neither .json nor .csv, or a file of trees cannot be read.
    """
    parser = CommandLine("python -m encoder.exam", description=__doc__)
    parser.add_argument("--model", default="base", help="a bundled model or a folder")
    parser.add_argument("--step", type=int, metavar="N", help="the model as it was after so many steps of training")
    parser.add_argument(
        "--trees",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="CoNLL-U; .xz and .gz are unpacked; a "
        "second file confirms the first; without it, the treebanks that are bundled",
    )
    parser.add_argument(
        "--frames", action="store_true", help="ask for subjects and agreement in constructed sentences too"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where it is written: .json or .csv")
    options = parser.parse_args(given)
    if options.out.suffix not in WRITERS:
        raise ExamError(f"--out is {options.out}; its name must end in {' or '.join(WRITERS)}")
    whole_file.check(options.out)
    treebanks = [read_treebank(path) for path in options.trees] if options.trees else bundled_treebanks()
    step = options.step
    encoder = TextEncoder.from_pretrained(options.model) if step is None else kept_moments.at(options.model, step)
    exam = examine(encoder, treebanks)
    if options.frames:
        exam = with_constructed_sentences(encoder, exam)
    whole_file.write(options.out, getattr(exam, WRITERS[options.out.suffix])().encode())
    for treebank in exam.treebanks:
        print(treebank)
    for row in exam.jobs():
        print(
            f"{row.layer}.{row.head} {row.relation}: {row.accuracy:.1%} of {row.n}, “{row.rule}” "
            f"{row.rule_accuracy:.1%}, best distance {row.distance:+d} {row.distance_accuracy:.1%}; {row.second} "
            f"{row.second_accuracy:.1%}, best rule {row.second_rule_accuracy:.1%}: {row.verdict}"
        )
    print(f"{options.out}: {result(exam)}")


def result(exam: Exam) -> str:
    """Return how many heads passed; with one treebank alone why none can."""
    name, *others = (treebank.name for treebank in exam.treebanks)
    if not others:
        return f"no head can pass on {name} alone; give --trees a second file, which confirms the first"
    passed, beyond = ({row.place for row in rows} for rows in (exam.passed(), exam.jobs()))
    tried = f"{len(RULES)} simple rules and every fixed distance"
    more = len(beyond - passed)
    also = f"; {more} more {'does' if more == 1 else 'do'} a job better than any fixed distance" if more else ""
    heads = "1 head" if len(passed) == 1 else f"{len(passed)} heads"
    return f"{heads} passed on {name}, beside {tried}{also}"


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
