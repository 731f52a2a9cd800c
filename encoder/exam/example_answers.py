"""A few examples of what each head with a job answers, as shipped for the bundled models beside their examinations."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from encoder.exam.examination import RESULTS
from encoder.exam.examples import ExamExample
from encoder.exam.treebank import ExamError
from encoder.support.typed_fields import read_kept

FORMAT, VERSION = "encoder-exam-examples", 1
SHIPPED = RESULTS / "examples"


@dataclass(frozen=True)
class HeadExamples:
    """What a head answers for a relation: of `n` questions it was `right` so often; `some` right and wrong answers.

    `cost` is what happens without the head, the mean over all questions: of a masked verb how much of its share the
    first guess at the gap loses, of any other relation how far the last vector of the word that is asked from moves, as
    a part of its length.
    """

    layer: int
    head: int
    relation: str
    direction: str
    treebank: str
    n: int
    right: int
    cost: float
    some: tuple[ExamExample, ...]


@dataclass(frozen=True)
class ExampleAnswers:
    """What is shipped of a model: what pins its weights, and the examples of each head."""

    fingerprint: str
    heads: tuple[HeadExamples, ...]


def read_example_answers(path: Path) -> ExampleAnswers:
    """Read a file of examples.

    Raises:
        ExamError: the file cannot be read or is none.
    """
    refused = ExamError(f"{path} holds no examples of version {VERSION}")
    return read_kept(path, ExampleAnswers, (FORMAT, VERSION), refused)


@cache
def example_answers_of(fingerprint: str) -> tuple[HeadExamples, ...]:
    """Return the examples that are shipped of a model with these weights; none without any."""
    shipped = map(read_example_answers, sorted(SHIPPED.glob("*.json")))
    return next((few.heads for few in shipped if few.fingerprint == fingerprint), ())
