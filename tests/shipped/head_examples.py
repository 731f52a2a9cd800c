"""A few examples of what each head with a job answers, for the bundled models.

    python -m tests.shipped.head_examples --model base --out encoder/exam/results/examples/base.json

They are of the head's surest job, in odd sentences of the first treebank; which are shown is decided by their length
and their place in the treebank alone.
"""

import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.exam.exam_sentences import constructed
from encoder.exam.examination import Exam, bundled_exam
from encoder.exam.example_answers import FORMAT, VERSION, HeadExamples
from encoder.exam.examples import ExamExample, examples
from encoder.exam.links import GAPS, JUDGED
from encoder.exam.treebank import ExamError, Treebank, bundled_treebanks
from encoder.experiments.ablation import WatchedWord, outcomes
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.progress import counting
from encoder.trace.words import places

SHORT = 14  # words of a sentence that is shown before longer ones
FEW = 6  # right ones and wrong ones of a head


def surest(exam: Exam) -> list[tuple[tuple[int, int], str, str]]:
    """Return the place, relation and direction of the surest job of each head that has one, by layer and head.

    A job is what it passed in, or does better than any fixed distance. Of a head that has one in constructed sentences
    alone it is the real gaps with a noun between.
    """
    frame = constructed(exam)
    jobs = {(frame.layer, frame.head): (JUDGED, frame.direction)} if frame else {}
    for row in sorted(exam.jobs(), key=lambda row: (row.passed, row.corrected_low)):
        jobs[row.place] = (row.relation, row.direction)
    return [(place, *jobs[place]) for place in sorted(jobs)]


def chosen(answers: Sequence[ExamExample]) -> tuple[ExamExample, ...]:
    """Return a few right answers and a few wrong ones: those of short sentences, in their order, then longer ones.

    Of a sentence it is the first right one, and the first wrong one.
    """
    ordered = sorted(answers, key=lambda answer: (max(SHORT, len(answer.words)), answer.sentence, answer.source))
    few_examples = list[ExamExample]()
    for right in (True, False):
        first = {answer.sentence: answer for answer in reversed(ordered) if answer.right == right}
        few_examples += [answer for answer in ordered if first.get(answer.sentence) is answer][:FEW]
    return tuple(few_examples)


def head_examples(
    encoder: TextEncoder, treebank: Treebank, place: tuple[int, int], relation: str, direction: str
) -> HeadExamples:
    """Ask a head all questions of a relation, and keep a few of its answers."""
    answers = examples(encoder, treebank, relation, *place, direction)
    right, cost = sum(answer.right for answer in answers), cost_over(encoder, answers, place, gaps=relation in GAPS)
    return HeadExamples(
        *place, relation, direction, treebank.name, len(answers), right, round(cost, 4), chosen(answers)
    )


@torch.inference_mode()
def cost_over(encoder: TextEncoder, answers: Sequence[ExamExample], place: tuple[int, int], *, gaps: bool) -> float:
    """Return what the loss of a head does at the words that were asked, as `HeadExamples.cost` says it."""
    off = Edit(f"layers.{place[0]}.attention.heads", "zero", heads=(place[1],))
    costs = list[float]()
    for words, asked in groupby(answers, key=lambda answer: answer.words):
        trace = encoder.trace(" ".join(words))
        if gaps:
            gap = trace.tokens.index(str(encoder.mask_token))
            shares = trace["mlm.probabilities"][gap]
            watch = WatchedWord(gap, int(shares.argmax()))
            ((without,),) = outcomes(encoder, trace, [off], watch, 1)
            assert without.logits is not None
            costs += [float((shares - without.logits.softmax(-1))[watch.token]) for _ in asked]
        else:
            ((without,),) = outcomes(encoder, trace, [off], None, 1)
            before = trace["output"]
            moved = torch.linalg.vector_norm(without.output - before, dim=-1) / torch.linalg.vector_norm(before, dim=-1)
            pieces = places(trace.tokenization.spans, words)
            costs += [float(moved[pieces[answer.source]].mean()) for answer in asked]
    return fmean(costs)


def to_json(exam: Exam, every: Sequence[HeadExamples]) -> str:
    """Return them as JSON, a line for each example."""
    about = {"format": FORMAT, "version": VERSION, "model": exam.model, "fingerprint": exam.fingerprint}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
    heads = []
    for head in every:
        fields = {name: value for name, value in vars(head).items() if name != "some"}
        inside = ",\n   ".join(json.dumps(example._asdict(), ensure_ascii=False) for example in head.some)
        heads.append(f'{json.dumps(fields)[:-1]}, "some": [\n   {inside}\n  ]}}')
    return "{\n" + ",\n".join(lines) + ',\n "heads": [\n  ' + ",\n  ".join(heads) + "\n ]\n}\n"


def make(given: list[str] | None = None) -> None:
    """Do what the command line says.

    Raises:
        ExamError: the model was not examined.
    """
    parser = CommandLine("python -m tests.shipped.head_examples", description="Make examples of examined heads.")
    parser.add_argument("--model", default="base", help="a bundled model that was examined")
    parser.add_argument("--out", type=Path, required=True, help="the file that is written")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    exam = bundled_exam(options.model)
    if exam is None:
        raise ExamError(f"there is no examination of {options.model}")
    encoder, treebank = TextEncoder.from_pretrained(options.model), bundled_treebanks()[0]
    with counting("examples"):
        every = [head_examples(encoder, treebank, *job) for job in surest(exam)]
    whole_file.write(options.out, to_json(exam, every).encode())


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
