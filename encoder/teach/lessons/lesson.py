"""Lessons as data: what a lesson file holds, and what is wrong with one.

A lesson is a TOML file of at most 100 kB:

    title = "Word order"
    shelf = "First hour"                       # one of SHELVES; may be left out, as the next two
    minutes = 8                                # about how long it takes
    card = 2                                   # the step whose picture stands on the list
    learned = "A place has a vector too."      # the one thing that stays, said at the end and on the list

    [[step]]                                   # 1 to 80 of them, in their order
    page = "attention"                         # a page of the app
    name = "Who looks at whom"                 # may be left out, as all that follows
    text = "A head is one way to look. This model has {heads} of them."      # one to three short sentences
    view = {sentence = "The cat chased the mouse.", layer = 4, head = 1}     # as in a link to that page
    own = true                                 # it makes sense on any sentence (false without it)
    question = {kind = "word", ask = "Where does *{word}* look most?", word = "cat"}
    answer = {of = "looked_at"}                # how the run answers it; see encoder.teach.lessons.run_answers
    after = {always = "...", right = "...", wrong = "...", guess = {mouse = "..."}}   # said once it was answered
    swap = {word = "cat", by = "dog"}          # what may be put into the sentence, to ask again
    hide = true                                # the sentence and the answer alone are shown, not the page's picture
    calm = true                                # the main picture alone, or that of the section that `more` opens

A question is of kind "word" (press a word), "choice" (one of `choices`), "number" (between `low` and `high`, right
within `near`) or "holds" (true or false). Its answer is computed from the run (`answer`), or measured by a trial
(`check = {trial = "same_vectors", positions = "off"}`; a trial that takes a `sentence` is given the view's, and
`check = {claim = "softmax"}` is that of one of CLAIMS, see `encoder.pictures.labs`). With a `goal` a step is a lab: all
is free, and `goal = {word = "is"}` is reached when the model guesses that word at the first gap. In texts *word* is a
word of a sentence, and {heads}, {layers}, {all_heads}, {tokens}, {vocabulary}, {word}, {layer}, {head} and {model} are
of the run. What is said `after` is of the lesson's own sentence and model, and left out for others.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)

from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS
from encoder.support.cached_property import cached_property
from encoder.support.errors import EncoderError
from encoder.support.typed_fields import CLOSED, NAME, Texts, Whole, must
from encoder.support.typed_fields import check as check_values
from encoder.teach.lessons.run_answers import ANSWERS, takes

MOST_BYTES, MOST_STEPS = 100_000, 80
DEPTH = 6  # a list of steps, a step, its check, a parameter of that, and what such a parameter holds
LONGEST_QUESTION = 200
NOT_IN_VIEW = ("lesson", "at", "v")  # parameters of a link that are not for a step to say
Shelf = Literal["", "First hour", "The arithmetic", "What heads do", "Training"]
SHELVES: tuple[str, ...] = get_args(Shelf)[1:]
FIRST_HOUR, ARITHMETIC, HEADS, TRAINING = SHELVES
MOST_PROBLEMS = 20
NEAR = 0.05  # of the range of a number: a guess so near is right


def of_link(name: str) -> str:
    """Return the name of a parameter of a link that a step may say."""
    if not NAME.fullmatch(name) or name in NOT_IN_VIEW:
        raise EncoderError("there is no such field; those of a view are the parameters of a link")
    return name


Short = Annotated[str, Texts(40)]
MaybeShort = Annotated[str, Texts(40, 0)]
Text = Annotated[str, Texts(600)]
MaybeText = Annotated[str, Texts(600, 0)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Spelled = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value), Texts(4000, 0)]
View = Annotated[dict[Annotated[str, AfterValidator(of_link)], Spelled], Field(max_length=40)]


class LessonError(EncoderError):
    """A lesson that cannot be used; `problems` are sentences that say where and why."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Question:
    """What to guess before the answer is shown.

    `word` is the token that is asked about, `tokens` whether tokens that are no words may be pressed too, or are shown
    once it was answered where nothing is pressed; `choices` are what may be chosen; `low` and `high` bound a number of
    so many `unit`, which is right within `near`.
    """

    __pydantic_config__ = CLOSED

    kind: Literal["word", "choice", "number", "holds"]
    ask: Annotated[str, Texts(LONGEST_QUESTION)]
    word: MaybeShort = ""
    tokens: StrictBool = False
    choices: Annotated[tuple[Short, ...], Field(max_length=12)] = ()
    low: Number = 0.0
    high: Number = 1.0
    near: Annotated[Number, Field(ge=0)] = -1.0  # a part of the range, where nothing is said
    unit: Annotated[str, Texts(20, 0)] = ""

    def __post_init__(self) -> None:
        """Check what one field asks of another."""
        if (self.kind == "choice") != (len(self.choices) > 1) or len(self.choices) == 1:
            raise EncoderError("choices are 2 to 12 short texts of a question of kind choice")
        if not self.low < self.high:
            raise EncoderError(f"low and high are {self.low:g} and {self.high:g}; low must be the smaller number")
        if self.near < 0:
            object.__setattr__(self, "near", NEAR * (self.high - self.low))
        if self.near >= self.high - self.low:
            raise EncoderError(f"near is {self.near:g}; it must be smaller than the range of the question")


@dataclass(frozen=True)
class After:
    """What is said once a step was answered: always, where that was right or wrong, and of each guess."""

    __pydantic_config__ = CLOSED

    always: MaybeText = ""
    right: MaybeText = ""
    wrong: MaybeText = ""
    guess: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True)
class Swap:
    """A word, and what may stand in its place."""

    __pydantic_config__ = CLOSED

    word: Short
    by: Short


@dataclass(frozen=True)
class Goal:
    """The word that is to be guessed at the end of a lab."""

    __pydantic_config__ = CLOSED

    word: Short


@dataclass(frozen=True)
class LessonStep:
    """One step: a page of the app, what is on it as a link spells it, what is said and asked, and what answers it.

    `answer` is the name of one of ANSWERS with its parameters, `check` a trial or a claim that measures it else. `hide`
    tells that the page's picture stays hidden, `calm` that the page shows its main picture alone.
    """

    __pydantic_config__ = CLOSED

    page: Short
    text: Text
    name: MaybeShort = ""
    view: View = field(default_factory=dict)
    own: StrictBool = False
    check: Mapping[str, Any] = field(default_factory=dict)
    question: Question | None = None
    answer: Mapping[str, StrictStr | StrictInt] = field(default_factory=dict)
    after: After = After()
    swap: Swap | None = None
    goal: Goal | None = None
    hint: Annotated[str, Texts(200, 0)] = ""
    hide: StrictBool = False
    calm: StrictBool = False

    def __post_init__(self) -> None:
        """Check what measures or answers it."""
        if self.check and (wrong := labs.problems(self.trial, self.given, sentence=True)):
            raise EncoderError(f"check: {wrong[0]}")
        if self.answer:
            name = self.answer.get("of")
            if name not in ANSWERS:
                raise EncoderError(f"answer of {str(name)[:40]!r}; it must be of one of {', '.join(ANSWERS)}")
            if extra := self.answer.keys() - {"of", *takes(str(name))}:
                raise EncoderError(f"answer: there is no field {min(extra)[:40]!r} of {name}")
        kind = self.question.kind if self.question else ""
        if kind and not (self.check and kind in ("number", "holds")) and not (self.answer and kind != "holds"):
            needs = {"holds": "a check", "number": "a check or an answer"}.get(kind, "an answer")
            raise EncoderError(f"a question of kind {kind} needs {needs}, which says what is right")

    @cached_property
    def measure(self) -> dict[str, Any]:
        """The trial that measures it, and its parameters: those of the claim, where one is named."""
        if "claim" not in self.check:
            return dict(self.check)
        claim = next((claim for claim in CLAIMS if claim.key == self.check["claim"]), None)
        if claim is None or len(self.check) > 1:
            raise EncoderError(f"check: there is no claim {str(self.check['claim'])[:40]!r}, or it is not alone")
        given = {"trial": claim.trial, **claim.given}
        return given | {name: self.view[name] for name in ("sentence",) if name in given and self.view.get(name)}

    @property
    def trial(self) -> str:
        """The name of the trial that measures it; empty where none does."""
        return self.measure.get("trial", "")  # type: ignore[no-any-return]

    @property
    def given(self) -> dict[str, Any]:
        """The parameters of that trial."""
        return {name: value for name, value in self.measure.items() if name != "trial"}


@dataclass(frozen=True)
class Lesson:
    """A title, the shelf it stands on, the steps, the minutes it takes (0: unknown), its picture, what was learned."""

    __pydantic_config__ = CLOSED

    title: Annotated[str, Texts(80)]
    steps: Annotated[tuple[LessonStep, ...], Field(alias="step")] = ()
    shelf: Shelf = ""
    minutes: Annotated[Whole, Field(ge=0, le=240)] = 0
    card: Annotated[Whole, Field(ge=1)] = 1
    learned: Annotated[str, Texts(160, 0)] = ""

    def __post_init__(self) -> None:
        """Check that there are steps, and the one whose picture stands on the list."""
        if not 1 <= len(self.steps) <= MOST_STEPS:
            raise EncoderError(f"it has {len(self.steps)} steps; a lesson has 1 to {MOST_STEPS}, each under [[step]]")
        if self.card > len(self.steps):
            raise EncoderError(f"card is {self.card}; it must be the number of a step, from 1 to {len(self.steps)}")


READER = TypeAdapter(Lesson)


def read(text: str, name: str = "the lesson") -> Lesson:
    """The lesson that a file holds; whether its pages and views exist is for the app to say.

    Args:
        text: the file's text.
        name: what messages call it.

    Raises:
        LessonError: it is too large, no TOML, or a field is missing, unknown or out of its range.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise LessonError([f"{name}: it has {size:,} bytes; a lesson has at most {MOST_BYTES:,}"])
    try:
        data = tomllib.loads(text)
        check_values(data, DEPTH)
        return READER.validate_python(data)
    except ValidationError as error:
        raise LessonError([problem(fault, name) for fault in error.errors()[:MOST_PROBLEMS]]) from None
    except EncoderError as error:
        raise LessonError([f"{name}: {error}"]) from None
    except (ValueError, RecursionError) as error:
        raise LessonError([f"{name}: it is not a TOML file: {str(error)[:200]}"]) from None


def problem(fault: Any, name: str) -> str:
    """Return a fault that pydantic found, as a sentence that says where it is."""
    parts = [part for part in fault["loc"] if part != "[key]"]
    if parts[:1] == ["step"] and len(parts) > 1:
        name, parts = f"{name}, step {parts[1] + 1}", parts[2:]
    return f"{name}: {must(fault, ' of '.join(str(part)[:40] for part in reversed(parts)))}"
