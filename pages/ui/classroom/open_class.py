"""A class: what it is asked and shown, who is there, what they answered, and how many were right."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeGuard, TypeVar

from encoder.support.errors import EncoderError
from encoder.teach.lessons.lesson import LONGEST_QUESTION
from pages.ui.state.seat import Counts

Kind = Literal["choice", "number"]
Entry = TypeVar("Entry")
MOST_OPTIONS = 64
LONGEST_OPTION = 40  # characters
CLOSE = 0.05  # of the range: a number that near to the true one is right, as in lessons
MOST_PUPILS = 150
MOST_FROM_ONE = 100  # pupils from one address: a school often has no more than one, and must not fill every class alone
MOST_MET = 1000  # pupils that are known to have been there
HIDDEN = ("truth", "right", "values", "finding", "page", "view")  # of a question, until its answer is shown
TAG = 8  # characters that the keys of all seats from one address begin with


@dataclass(frozen=True)
class Question:
    """A question to a class and its answer, as numbers of a run that is over.

    A "choice" is among `options`, and `truth` is the place of the right one, `right` those of several; `values` are
    the model's own numbers for each option, where it has some, such as the weights of a row of attention. A "number"
    lies between `low` and `high`, and `truth` is what was measured. Without a `truth` the answer is not to be known
    yet. `finding` says what was measured, in a sentence. `number` counts the questions of a class from 1, `sentence`
    is what the model reads, and `where` says what run it is about. `unit` is that of a number, which is right within
    `near_by`; `form` says what `values` are. Where it is `in_sentence` the options are the words of the sentence.
    `page` and `view` show the answer, on all screens.
    """

    number: int
    kind: Kind
    ask: str
    truth: float | None = None
    options: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 1.0
    sentence: str = ""
    finding: str = ""
    where: str = ""
    unit: str = ""
    near_by: float | None = None
    form: str = "share"
    in_sentence: bool = False
    right: tuple[int, ...] = ()
    page: str = ""
    view: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the bounds: what is kept for a class is bounded, and what is drawn is finite."""
        if not 1 <= len(self.ask) <= LONGEST_QUESTION:
            raise EncoderError(f"the question has {len(self.ask)} characters; it must be 1 to {LONGEST_QUESTION}")
        if self.kind == "choice" and not 2 <= len(self.options) <= MOST_OPTIONS:
            raise EncoderError(f"there are {len(self.options)} answers to choose from; it must be 2 to {MOST_OPTIONS}")
        if not all(map(math.isfinite, (self.truth or 0.0, self.low, self.high, *self.values))) or self.low >= self.high:
            raise EncoderError("the answer to this is not a finite number, so the class cannot be asked")

    def public(self) -> dict[str, object]:
        """Return all of it but the answer."""
        return {name: value for name, value in asdict(self).items() if name not in HIDDEN}

    def is_answer(self, answer: object) -> TypeGuard[float]:
        """Return whether somebody can have answered that."""
        if self.kind == "choice":
            return type(answer) is int and 0 <= answer < len(self.options)
        return type(answer) in (int, float) and self.low <= answer <= self.high  # type: ignore[operator]

    def is_right(self, answer: float) -> bool:
        """Return whether an answer is the true one, or near enough."""
        if self.truth is None:
            return False
        if self.kind == "choice":
            return answer in (self.right or (self.truth,))
        return abs(answer - self.truth) <= self.tolerance

    @property
    def near(self) -> tuple[float, float] | None:
        """Between which numbers an answer is right; None where it is no number, or not to be known yet."""
        if self.truth is None or self.kind == "choice":
            return None
        return self.truth - self.tolerance, self.truth + self.tolerance

    @property
    def tolerance(self) -> float:
        """How far from the true number an answer may be."""
        return CLOSE * (self.high - self.low) if self.near_by is None else self.near_by

    def hits(self, answers: Iterable[float]) -> int:
        """Return how many are right."""
        return sum(map(self.is_right, answers))

    def counts(self, answers: Iterable[float]) -> dict[float, int]:
        """Return how often each was given."""
        return dict(sorted(Counter(answers).items()))

    def in_words(self, answer: float) -> str:
        """Return an answer in words."""
        return self.options[int(answer)] if self.kind == "choice" else f"{answer:.4g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Asked:
    """What the class is asked: the question without its answer, its round from 1, and its phase."""

    question: Question
    round: int
    phase: str


@dataclass(frozen=True)
class Now:
    """What every screen of a class may know: what the teacher shows, what is asked, and how far both are.

    While `covered`, pupils are not told what the teacher shows.
    """

    shown: dict[str, str]
    asked: Asked | None
    counts: Counts
    covered: bool = False


@dataclass(frozen=True)
class Results:
    """A question with its answer, and the answers of each round, without who gave them."""

    question: Question
    rounds: tuple[list[float], ...]


@dataclass
class OpenClass:
    """One class: the hash of its secret, who opened it, when it ends unless somebody is heard of, and at the latest.

    `votes` has for each question of `questions` its rounds, each with what the pupils answered by their keys. The last
    question is on the screens while `phase` is not empty. `heard` is when each pupil was last heard of, and whether
    they follow; `led` when a teacher was. `hides` tells that the picture is hidden before a question.
    """

    secret: str
    stamp: str
    opener: str
    ends: float
    latest: float
    led: float
    shown: dict[str, str] = field(default_factory=dict)
    times_shown: int = 0
    times_asked: int = 0
    questions: list[Question] = field(default_factory=list)
    votes: list[list[dict[str, float]]] = field(default_factory=list)
    phase: str = ""
    wall: dict[str, str] = field(default_factory=dict)
    heard: dict[str, tuple[float, bool]] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    shut_out: set[str] = field(default_factory=set)
    is_shut: bool = False
    hides: bool = False

    def count_in(self, key: str) -> None:
        """Note that a pupil was heard of; of those who have gone only who answered or sent something is kept."""
        if key not in self.met and len(self.met) >= MOST_MET:
            known = {*self.heard, *self.wall, *(key for rounds in self.votes for answers in rounds for key in answers)}
            self.met &= known
        self.met.add(key)

    def of_met(self, entries: Mapping[str, Entry]) -> dict[str, Entry]:
        """Return the entries of pupils who were heard of."""
        return {key: value for key, value in entries.items() if key in self.met}

    def take_out(self, key: str) -> None:
        """Let go of all that a pupil has answered and sent, and take nothing of them any more."""
        every: list[dict[str, Any]] = [self.wall, self.heard, *(answers for each in self.votes for answers in each)]
        for entries in every:
            entries.pop(key, None)
        self.shut_out.add(key)

    @property
    def uncounted(self) -> int:
        """How many of the answers to what is asked now, and of the sentences, are of nobody who was heard of."""
        keys = [*self.wall, *(self.votes[-1][-1] if self.phase else ())]
        return sum(key not in self.met for key in keys)

    @property
    def entries(self) -> int:
        """How many answers and sentences it holds."""
        return len(self.wall) + sum(len(answers) for rounds in self.votes for answers in rounds)

    @property
    def asked(self) -> Asked | None:
        """What is asked now."""
        if not self.phase:
            return None
        question = replace(self.questions[-1], truth=None, right=(), values=(), finding="", page="", view={})
        return Asked(question, len(self.votes[-1]), self.phase)

    @property
    def covered(self) -> bool:
        """Whether the picture is on no screen: it would say the answer."""
        return self.hides if not self.phase else self.phase != "shown"

    def results(self, number: int) -> Results:
        """Return the answers to the question of a number, from 1; a second round only where somebody answered in it."""
        rounds = [list(self.of_met(answers).values()) for answers in self.votes[number - 1]]
        return Results(self.questions[number - 1], tuple(rounds if rounds[-1] else rounds[:1]))


def is_full(keys: Iterable[str], key: str) -> bool:
    """Return whether a class has no room for the key of one more pupil, or none for one more from the same address."""
    there = list(keys)
    return len(there) >= MOST_PUPILS or sum(other[:TAG] == key[:TAG] for other in there) >= MOST_FROM_ONE
