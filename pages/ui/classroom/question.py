"""What a class is asked, what it answered, and how many were right. Needs neither Streamlit nor a store."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from encoder.support.errors import EncoderError
from encoder.teach.lessons.lesson import LONGEST

Kind = Literal["choice", "number"]
MOST_OPTIONS = 64
LONGEST_OPTION = 40  # characters
CLOSE = 0.05  # of the range: a number that near to the true one is right, as in lessons


@dataclass(frozen=True)
class Question:
    """A question to a class and its answer, as numbers of a run that is over.

    A "choice" is among `options`, and `truth` is the place of the right one; `values` are the model's own numbers
    for each option, where it has some, such as the weights of a row of attention. A "number" lies between `low` and
    `high`, and `truth` is what was measured. Without a `truth` the answer is not to be known yet. `number` counts the
    questions of a class from 1, and `where` says what run it is about.
    """

    number: int
    kind: Kind
    ask: str
    truth: float | None = None
    options: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 1.0
    where: str = ""

    def __post_init__(self) -> None:
        """Check the bounds: what is kept for a class is bounded, and what is drawn is finite."""
        if not 1 <= len(self.ask) <= LONGEST["ask"]:
            raise EncoderError(f"the question has {len(self.ask)} characters; it must be 1 to {LONGEST['ask']}")
        if self.kind == "choice" and not 2 <= len(self.options) <= MOST_OPTIONS:
            raise EncoderError(f"there are {len(self.options)} answers to choose from; it must be 2 to {MOST_OPTIONS}")
        if not all(map(math.isfinite, (self.truth or 0.0, self.low, self.high, *self.values))) or self.low >= self.high:
            raise EncoderError("the answer to this is no finite number, so the class cannot be asked")

    def public(self) -> dict[str, object]:
        """All of it but the answer."""
        return {name: value for name, value in asdict(self).items() if name not in ("truth", "values")}

    def is_answer(self, said: object) -> bool:
        """Whether somebody can have answered that."""
        if self.kind == "choice":
            return type(said) is int and 0 <= said < len(self.options)
        return type(said) in (int, float) and self.low <= float(said) <= self.high  # type: ignore[arg-type]

    def is_right(self, said: float) -> bool:
        """Whether an answer is the true one, or near enough."""
        if self.truth is None or self.kind == "choice":
            return said == self.truth
        return abs(said - self.truth) <= CLOSE * (self.high - self.low)

    def answers(self, entries: Mapping[str, str]) -> list[float]:
        """The answers among what a store has of a round; what is none is left out."""
        return [value for text in entries.values() if self.is_answer(value := number(text))]

    def hits(self, answers: Iterable[float]) -> int:
        """How many are right."""
        return sum(map(self.is_right, answers))

    def counts(self, answers: Iterable[float]) -> dict[float, int]:
        """How often each was given."""
        return dict(sorted(Counter(answers).items()))

    def said(self, answer: float) -> str:
        """An answer in words."""
        return self.options[int(answer)] if self.kind == "choice" else f"{answer:.4g}"


def number(text: str) -> float:
    """A number as a store keeps it; not a number for anything else."""
    try:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else float(text)
    except ValueError:
        return math.nan


def write(question: Question) -> tuple[str, str]:
    """A question and its answer as text, apart, so that the one can be read without the other."""
    return json.dumps(question.public()), json.dumps({"truth": question.truth, "values": question.values})


def read(asked: str, answer: str = "") -> Question:
    """A question from text; without its truth where its answer was not read."""
    found: dict[str, Any] = json.loads(asked) | (json.loads(answer) if answer else {})
    found |= {name: tuple(one) for name, one in found.items() if isinstance(one, list)}
    return Question(**found)
