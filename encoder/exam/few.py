"""A few examples of what each head with a job answers, as shipped for the bundled models beside their examinations."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from encoder.exam.examination import RESULTS
from encoder.exam.examples import ExamExample
from encoder.exam.treebank import ExamError

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


def read_few(path: Path) -> tuple[str, tuple[HeadExamples, ...]]:
    """Read a file of examples: the fingerprint of the model's weights, and those of each head.

    Raises:
        ExamError: the file cannot be read or is none.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["format"] != FORMAT or raw["version"] != VERSION:
            raise ExamError(f"{path} holds no examples of version {VERSION}")
        return str(raw["fingerprint"]), tuple(head_of(row) for row in raw["heads"])
    except ExamError:
        raise
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ExamError(f"{path} holds no examples") from error


def head_of(raw: dict[str, Any]) -> HeadExamples:
    """Return the examples of a head from what JSON says of them."""
    some = tuple(ExamExample(**example | {"words": tuple(example["words"])}) for example in raw["some"])
    return HeadExamples(**raw | {"some": some})


@cache
def few_by_content(fingerprint: str) -> tuple[HeadExamples, ...]:
    """Return the examples that are shipped of a model with these weights; none without any."""
    shipped = (read_few(path) for path in sorted(SHIPPED.glob("*.json")))
    return next((every for content, every in shipped if content == fingerprint), ())
