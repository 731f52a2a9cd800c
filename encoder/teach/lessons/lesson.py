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

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS
from encoder.support import link_text
from encoder.support.errors import EncoderError
from encoder.teach.lessons.run_answers import ANSWERS, takes

MOST_BYTES, MOST_STEPS = 100_000, 80
DEPTH = 6  # a list of steps, a step, its check, a parameter of that, and what such a parameter holds
SHORT = dict.fromkeys(("name", "word", "by", "page"), 40)
LONGEST = SHORT | {"unit": 20, "title": 80, "learned": 160, "text": 600, "ask": 200, "hint": 200}
NAME = re.compile(r"[a-z_]{1,20}", re.ASCII)
NOT_IN_VIEW = ("lesson", "at", "v")  # parameters of a link that are not for a step to say
MOST_IN_VIEW = 40
LONGEST_IN_VIEW = 4000
KINDS = ("word", "choice", "number", "holds")
FIRST_HOUR, ARITHMETIC, HEADS, TRAINING = "First hour", "The arithmetic", "What heads do", "Training"
SHELVES = (FIRST_HOUR, ARITHMETIC, HEADS, TRAINING)
LONGEST_TIME = 240  # minutes
MOST_PROBLEMS, MOST_CHOICES = 20, 12
NEAR = 0.05  # of the range of a number: a guess so near is right


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

    kind: str
    ask: str
    word: str = ""
    tokens: bool = False
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    near: float = 0.05
    unit: str = ""


@dataclass(frozen=True)
class LessonStep:
    """One step: a page of the app, what is on it as a link spells it, what is said and asked, and what answers it.

    `answer` is the name of one of ANSWERS with its parameters, `trial` and `given` what measures it else. `after` are
    the texts that are said once it was answered, by when: always, right, wrong, or the guess. `swap` is a word and what
    may stand in its place, `goal` the word that is to be guessed at the end of a lab. `hide` tells that the page's
    picture stays hidden, `calm` that the page shows its main picture alone.
    """

    page: str
    text: str
    name: str = ""
    view: Mapping[str, str] = field(default_factory=dict)
    own: bool = False
    trial: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    question: Question | None = None
    answer: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    said_of: Mapping[str, str] = field(default_factory=dict)
    swap: tuple[str, str] | None = None
    goal: str = ""
    hint: str = ""
    hide: bool = False
    calm: bool = False


@dataclass(frozen=True)
class Lesson:
    """A title, the shelf it stands on, the steps, the minutes it takes (0: unknown), its picture, what was learned."""

    title: str
    steps: tuple[LessonStep, ...]
    shelf: str = ""
    minutes: int = 0
    card: int = 1
    learned: str = ""


class Reader:
    """Reads one table of the file after another and gathers what is wrong with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[str] = []

    def refuse(self, where: str, what: str) -> None:
        """Note a fault."""
        self.problems.append(f"{self.name}{', ' + where if where else ''}: {what}")

    def known(self, where: str, table: Mapping[str, object], names: tuple[str, ...]) -> None:
        """Refuse fields that a table does not have."""
        for extra in [key for key in table if key not in names]:
            self.refuse(where, f"there is no field {extra[:40]!r}; the fields are {', '.join(names)}")

    def text(self, where: str, table: Mapping[str, object], name: str, empty: bool = False) -> str:
        """A text within its length."""
        value = table.get(name, "")
        longest = LONGEST[name]
        if not isinstance(value, str) or len(value) > longest or not (empty or value.strip()):
            text = f"has {len(value)} characters" if isinstance(value, str) else f"is {str(value)[:40]!r}"
            self.refuse(where, f"{name} {text}; it must be text of {0 if empty else 1} to {longest} characters")
            return ""
        return value.strip()

    def table(self, where: str, table: Mapping[str, object], name: str) -> Mapping[str, Any]:
        """A table within a table; empty where there is none."""
        value = table.get(name, {})
        if not isinstance(value, dict):
            self.refuse(where, f"{name} is {str(value)[:40]!r}; it must be a table such as {{name = value}}")
            return {}
        return value

    def texts(self, where: str, table: Mapping[str, object], name: str) -> dict[str, str]:
        """A table of texts within a table."""
        texts = self.table(where, table, name)
        for key, text in texts.items():
            if not isinstance(text, str) or not 0 < len(text) <= LONGEST["text"]:
                self.refuse(where, f"{key[:40]} of {name} must be text of 1 to {LONGEST['text']} characters")
        return {key: text for key, text in texts.items() if isinstance(text, str)}

    def flag(self, where: str, table: Mapping[str, object], name: str) -> bool:
        """Whether something is so; false where nothing is said."""
        value = table.get(name, False)
        if not isinstance(value, bool):
            self.refuse(where, f"{name} is {str(value)[:40]!r}; it must be true or false")
        return value is True

    def whole(self, table: Mapping[str, object], name: str, usual: int, least: int, most: int) -> int:
        """A whole number of the file itself."""
        value = table.get(name, usual)
        if type(value) is not int or not least <= value <= most:
            self.refuse("", f"{name} is {str(value)[:40]!r}; it must be a whole number from {least} to {most}")
            return usual
        return value


def read(text: str, name: str = "the lesson") -> Lesson:
    """The lesson that a file holds; whether its pages and views exist is for the app to say.

    Args:
        text: the file's text.
        name: what messages call it.

    Raises:
        LessonError: it is too large, no TOML, or a field is missing, unknown or out of its range.
    """
    check_size(text, name)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise LessonError([f"{name}: it is no TOML file: {str(error)[:200]}"]) from None
    try:
        link_text.check(data, DEPTH)
    except EncoderError as error:
        raise LessonError([f"{name}: {error}"]) from None
    return from_data(data, name)


def check_size(text: str, name: str) -> None:
    """Refuse a file that is too large."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise LessonError([f"{name}: it has {size:,} bytes; a lesson has at most {MOST_BYTES:,}"])


def from_data(data: Mapping[str, Any], name: str = "the lesson") -> Lesson:
    """The lesson in tables that were read; raises LessonError as `read` does."""
    reader = Reader(name)
    reader.known("", data, ("title", "shelf", "minutes", "card", "learned", "step"))
    tables = data.get("step", [])
    if (
        not isinstance(tables, list)
        or not 1 <= len(tables) <= MOST_STEPS
        or not all(isinstance(t, dict) for t in tables)
    ):
        count = len(tables) if isinstance(tables, list) else 0
        reader.refuse("", f"it has {count} steps; a lesson has 1 to {MOST_STEPS}, each under [[step]]")
        tables = []
    shelf = data.get("shelf", "")
    if shelf not in ("", *SHELVES):
        reader.refuse("", f"shelf is {str(shelf)[:40]!r}; it must be one of {', '.join(SHELVES)}")
    lesson = Lesson(
        reader.text("", data, "title"),
        tuple(step(reader, f"step {number}", table) for number, table in enumerate(tables, 1)),
        shelf,
        reader.whole(data, "minutes", 0, 0, LONGEST_TIME),
        reader.whole(data, "card", 1, 1, max(1, len(tables))),
        reader.text("", data, "learned", empty=True),
    )
    if reader.problems:
        raise LessonError(reader.problems[:MOST_PROBLEMS])
    return lesson


FLAGS = ("own", "hide", "calm")
FIELDS = ("page", "name", "text", "view", "check", "question", "answer", "after", "swap", "goal", "hint", *FLAGS)


def step(reader: Reader, where: str, table: Mapping[str, object]) -> LessonStep:
    """One step of the file."""
    reader.known(where, table, FIELDS)
    own, hide, calm = (reader.flag(where, table, name) for name in FLAGS)
    given = check(reader, where, table)
    trial = given.pop("trial", "")
    if "check" in table:
        for problem in labs.problems(trial, given, sentence=True):
            reader.refuse(where, f"check: {problem}")
    answer = computed(reader, where, table)
    asked = reader.table(where, table, "question")
    question = ask(reader, where, asked, bool(trial), bool(answer)) if "question" in table else None
    after = dict(reader.table(where, table, "after"))
    guesses = reader.texts(where, after, "guess")
    after.pop("guess", None)
    reader.known(where, after, ("always", "right", "wrong"))
    swap, goal = reader.table(where, table, "swap"), reader.table(where, table, "goal")
    reader.known(where, swap, ("word", "by"))
    reader.known(where, goal, ("word",))
    return LessonStep(
        reader.text(where, table, "page"),
        reader.text(where, table, "text"),
        reader.text(where, table, "name", empty=True),
        view(reader, where, table),
        own,
        trial if isinstance(trial, str) else "",
        given,
        question,
        answer,
        reader.texts(where, {"after": after}, "after"),
        guesses,
        (reader.text(where, swap, "word"), reader.text(where, swap, "by")) if swap else None,
        reader.text(where, goal, "word") if goal else "",
        reader.text(where, table, "hint", empty=True),
        hide,
        calm,
    )


def check(reader: Reader, where: str, table: Mapping[str, object]) -> dict[str, Any]:
    """What a step measures: a trial and its parameters, or those of a claim."""
    given = dict(reader.table(where, table, "check"))
    if "claim" not in given:
        return given
    reader.known(where, given, ("claim",))
    result = next((claim for claim in CLAIMS if claim.key == given["claim"]), None)
    if result is None:
        reader.refuse(where, f"check: there is no claim {str(given['claim'])[:40]!r}")
        return {}
    given = {"trial": result.trial, **result.given}
    sentence = reader.table(where, table, "view").get("sentence")
    return given | ({"sentence": sentence} if sentence and "sentence" in result.given else {})


def computed(reader: Reader, where: str, table: Mapping[str, object]) -> dict[str, Any]:
    """How the run answers: one of ANSWERS by its name, and its parameters."""
    given = dict(reader.table(where, table, "answer"))
    if not given:
        return {}
    name = given.get("of")
    if not isinstance(name, str) or name not in ANSWERS:
        reader.refuse(where, f"answer of {str(name)[:40]!r}; it must be of one of {', '.join(ANSWERS)}")
        return {}
    reader.known(where, given, ("of", *takes(name)))
    if not all(isinstance(value, str | int) for value in given.values()):
        reader.refuse(where, "what an answer takes are texts and whole numbers")
    return given


def view(reader: Reader, where: str, table: Mapping[str, object]) -> dict[str, str]:
    """What is on the page, every field as a link spells it."""
    result: dict[str, str] = {}
    for name, value in reader.table(where, table, "view").items():
        if not NAME.fullmatch(name) or name in NOT_IN_VIEW or len(result) >= MOST_IN_VIEW:
            reader.refuse(where, f"view has no field {name[:40]!r}; its fields are the parameters of a link")
        elif isinstance(value, bool) or not isinstance(value, str | int) or len(str(value)) > LONGEST_IN_VIEW:
            reader.refuse(where, f"{name} of view must be a text of at most {LONGEST_IN_VIEW} characters or a number")
        else:
            result[name] = str(value)
    return result


def ask(reader: Reader, where: str, table: Mapping[str, object], checked: bool, answered: bool) -> Question:
    """The question of a step, which a check or an answer decides."""
    reader.known(where, table, ("kind", "ask", "word", "tokens", "choices", "low", "high", "near", "unit"))
    kind, choices = table.get("kind"), table.get("choices", [])
    if kind not in KINDS:
        reader.refuse(where, f"kind of question is {str(kind)[:40]!r}; it must be one of {', '.join(KINDS)}")
    elif not (checked and kind in ("number", "holds")) and not (answered and kind != "holds"):
        needs = {"holds": "a check", "number": "a check or an answer"}.get(str(kind), "an answer")
        reader.refuse(where, f"a question of kind {kind} needs {needs}, which says what is right")
    if (
        not isinstance(choices, list)
        or not all(isinstance(choice, str) and 0 < len(choice) <= LONGEST["word"] for choice in choices)
        or ((kind == "choice" or choices) and not 2 <= len(choices) <= MOST_CHOICES)
        or (choices and kind != "choice")
    ):
        reader.refuse(
            where,
            f"choices are 2 to {MOST_CHOICES} short texts of a question of kind choice",
        )
        choices = []
    tokens = reader.flag(where, table, "tokens")
    bounds = [table.get(name, usual) for name, usual in (("low", 0), ("high", 1))]
    low, high = (float(b) if isinstance(b, int | float) and not isinstance(b, bool) else math.nan for b in bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        reader.refuse(
            where, f"low and high of the question are {bounds[0]} and {bounds[1]}; low must be the smaller number"
        )
    near = table.get("near", NEAR * (high - low))
    if isinstance(near, bool) or not isinstance(near, int | float) or not (math.isnan(high) or 0 <= near < high - low):
        reader.refuse(where, f"near is {str(near)[:40]!r}; it must be a number, smaller than the range of the question")
        near = 0.0
    return Question(
        str(kind),
        reader.text(where, table, "ask"),
        reader.text(where, table, "word", empty=True),
        tokens,
        tuple(choices),
        low,
        high,
        float(near),
        reader.text(where, table, "unit", empty=True),
    )
