"""A step of a lesson as a screen shows it: what is said and asked, whether the screen is at it, and how a guess did."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from encoder.pictures.ask import text_of
from encoder.pictures.labs import TRIALS
from encoder.pictures.labs.trial import Verdict
from encoder.pictures.link import from_query
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.formatting import in_form, listed, percent
from encoder.teach.lessons import run_answers
from encoder.teach.lessons.lesson import Goal, Lesson, LessonStep, Question
from encoder.teach.lessons.run_answers import AskedRun, RunAnswer
from encoder.trace.tokens import Tokens
from pages.front import make
from pages.front.request_fields import LessonRequest, RefusedError
from pages.front.run_on_screen import RunOnScreen, run_on_screen
from pages.ui.lessons import library
from pages.ui.server import measurements, offered_models
from pages.ui.state.site import page_of

VERDICTS = tuple(verdict.value.capitalize() for verdict in Verdict if verdict is not Verdict.UNTRIED)
HELD = {Verdict.HOLDS: "It is true", Verdict.FAILS: "It is false", Verdict.CONDITION: "It depends"}
MARKED = re.compile(r"\*([^*]+)\*")
PLACED = ("layer", "head", "model", "sentence", "other", "other_model", "second", "edits", "hidden", "lab")
UNKNOWN = "There is no such lesson here. Choose one on the page Lessons."
GAP = "____"
Parts = list[tuple[str, str]]  # of a text: what it is, and whose: the model's, yours, a word's, or nobody's


def shown_step(request: LessonRequest) -> dict[str, Any]:
    """What a screen shows of a step of a lesson.

    Raises:
        RefusedError: there is no such lesson, or what it needs is not to be had now.
    """
    lesson = library.offered().get(request.lesson)
    if lesson is None:
        raise RefusedError(404, UNKNOWN)
    at = min(max(request.at, 1), len(lesson.steps))
    step, query = lesson.steps[at - 1], dict(request.query)
    shown: dict[str, Any] = {
        "title": lesson.title,
        "learned": lesson.learned,
        "at": at,
        "steps": [about(lesson, request.lesson, number) for number in range(1, len(lesson.steps) + 1)],
        "name": step.name,
        "question": None,
    }
    with make.refusing(""):
        if away := elsewhere(step, request.page, query):
            return shown | {"away": away}
        asking = AtStep(step, query, request)
        return shown | asking.shown()


def about(lesson: Lesson, name: str, at: int) -> dict[str, Any]:
    """Where a step is: its page, and what an address of it says."""
    step = lesson.steps[at - 1]
    title = step.name or page_of(step.page).title
    return {"page": step.page, "query": library.query_of(name, at), "title": title, "asks": step.question is not None}


def elsewhere(step: LessonStep, page: str, query: Mapping[str, str]) -> dict[str, str]:
    """Why a screen is not at a step; empty where it is."""
    if page != step.page:
        return {"why": "around"}
    model = query.get("model", View.model)
    if model != step.view.get("model", View.model) and (why := unfit(step, model)):
        return {"why": "model", "said": why}
    for name in PLACED:
        if name in ("sentence", "model") or name not in step.view:
            continue
        if step.question is None and name in ("layer", "head", "edits"):
            continue  # what is to play with
        if query.get(name, "") != step.view[name]:
            return {"why": "around"}
    meant = step.view.get("sentence")
    if meant is not None and query.get("sentence", View.sentence) != meant and not takes_any(step, query):
        return {"why": "sentence", "said": "This step is about another sentence."}
    return {}


def unfit(step: LessonStep, model: str) -> str:
    """Why a model cannot be asked in the place of the step's own; empty where it can."""
    meant = step.view.get("model", View.model)
    title = offered_models.offer(meant).label.partition(":")[0]
    if "model" in step.view:
        return f"This step is about the model {title}."
    needed, config = make.opened(meant).config, make.opened(model).config
    layer, head = (int(step.view.get(name, 0)) for name in ("layer", "head"))
    if layer < config.n_layers and head < config.n_heads:
        return ""
    has = f"this one has {config.n_layers} of {config.n_heads}"
    return f"This step needs {needed.n_layers} layers of {needed.n_heads} heads; {has}."


def takes_any(step: LessonStep, query: Mapping[str, str]) -> bool:
    """Whether a step can be put to another sentence: it says so, or it asks about words, and these stand there."""
    question = step.question
    words = [word for word in (question and question.word, step.answer.get("at")) if word]
    if not words or not step.answer:
        return step.own
    view, _ = from_query(query, offered_models.check)
    tokens = make.opened(view.model).tokenize(text_of(view))
    try:
        for word in words:
            tokens.find(str(word))
    except EncoderError:
        return False
    return True


def parts(text: str, **values: object) -> Parts:
    """A text with its values in it, in parts: what stands between stars is a word."""
    filled = re.sub(r"\{(\w+)\}", lambda result: str(values.get(result[1], result[0])), text)
    return [(piece, "word" if i % 2 else "") for i, piece in enumerate(MARKED.split(filled)) if piece]


class AtStep:
    """A step on a screen that is at it."""

    def __init__(self, step: LessonStep, query: Mapping[str, str], request: LessonRequest) -> None:
        self.step, self.request, self.run = step, request, run_on_screen(query)
        self.view, self.encoder, self.trace = self.run.view, self.run.encoder, self.run.trace
        self.words = pressable(self.trace.tokenization, step.question)
        if request.show and step.question and step.question.tokens and step.question.kind != "word":
            self.words = tuple((i,) for i in range(len(self.trace.tokens)))  # counted as they are
        of_step = self.view.sentence == step.view.get("sentence", self.view.sentence)
        self.is_own = not of_step or self.view.model != step.view.get("model", View.model)

    def shown(self) -> dict[str, Any]:
        """What is said and asked, and where it was answered how the guess did."""
        step, question = self.step, self.step.question
        values = values_of(self.run, question)
        shown: dict[str, Any] = {
            "text": parts(step.text, **values),
            "own": self.is_own,
            "hint": step.hint,
            "swap": self.swapped(),
            "texts": others(step),
            "hides": step.hide,
            "calm": step.calm,
        }
        if step.goal:
            shown["goal"] = self.reached()
        if question is not None:
            shown["question"] = {
                "kind": question.kind,
                "ask": parts(question.ask, **values),
                "words": [
                    {
                        "name": self.name_of(word),
                        "position": word[0],
                        "asked": self.asks_from(word),
                        "can": self.can_be(word),
                    }
                    for word in self.words
                ]
                if "sentence" in step.view and not step.view.get("lab")
                else [],
                "choices": list(question.choices or VERDICTS),
                "low": question.low,
                "high": question.high,
                "unit": question.unit,
            }
        if question is None and step.trial and not self.request.show:
            shown["measures"] = True  # asked for apart: what is said need not wait for it
        elif self.request.show and (question or step.trial):
            shown["told"] = self.outcome()
        return shown

    def can_be(self, word: tuple[int, ...]) -> bool:
        """Whether a word may be the answer: it may look at itself, but is not asked how much it is like itself."""
        return not self.asks_from(word) or self.step.answer.get("of") == "looked_at"

    def name_of(self, word: tuple[int, ...]) -> str:
        """A word, and a gap as one."""
        return GAP if self.trace.tokens[word[0]] == self.encoder.mask_token else self.trace.tokenization.spelled(word)

    def asks_from(self, word: tuple[int, ...]) -> bool:
        """Whether a word is the one that is asked about."""
        question = self.step.question
        if question is None or not question.word:
            return self.trace.tokens[word[0]] == self.encoder.mask_token
        return word == self.trace.tokenization.find(question.word)

    def swapped(self) -> dict[str, str] | None:
        """The sentence with the step's other word in it, or back again."""
        if (swap := self.step.swap) is None:
            return None
        for word, by in ((swap.word, swap.by), (swap.by, swap.word)):
            result = re.sub(rf"\b{re.escape(word)}\b", by, self.view.sentence, count=1)
            if result != self.view.sentence:
                return {"word": word, "by": by, "sentence": result}
        return None

    def reached(self) -> dict[str, Any]:
        """Whether the goal of a lab is reached, with how many heads off."""
        result = self.encoder.predict(self.trace, 1, [AskedRun(self.encoder, self.trace, 0, 0).gap])
        word = result[0][0][0] if result else ""
        heads, edits = range(self.encoder.config.n_heads), self.view.edits
        of_heads = [edit for edit in edits if edit.step.endswith("attention.heads")]
        off = {(edit.step, head) for edit in of_heads for head in (heads if edit.heads is None else edit.heads)}
        alone = len(of_heads) == len(edits)  # nothing but heads is off
        return {"word": word, "alone": alone, "done": alone and self.step.goal == Goal(word), "count": len(off)}

    def outcome(self) -> dict[str, Any]:
        """How the guess did, and what is said then."""
        step, question, guess = self.step, self.step.question, self.request.guess
        if step.trial and not step.answer:
            return self.measured()
        assert question is not None
        names, answer = answer_of(step, question, self.run)
        if question.kind == "number":
            return self.number(answer.values[0], answer.form) | {"heads": answer.heads}
        at = self.place_of(guess)
        right = None if at is None else at in answer.right
        value = (lambda i: in_form(answer.values[i], answer.form)) if len(answer.values) == len(names) else None
        known = listed(
            [name if any(map(str.isalnum, name)) else f"“{name}”" for name in map(names.__getitem__, answer.right)]
        )
        figure = f", {value(answer.right[0])}" if value else ""
        if answer.flat and value:
            head: Parts = [
                ("It looks at nothing in particular: ", ""),
                (value(answer.right[0]), "model"),
                (" is its highest.", ""),
            ]
        else:
            head = [("You got it: " if right else "The answer is ", ""), (known, "model"), (f"{figure}.", "")]
        lines: list[Parts] = []
        if right is False and at is not None:
            lines.append([("You said ", ""), (names[at], "yours"), (f": {value(at)}." if value else ".", "")])
        if question.kind == "word" and answer.rest > max(answer.values):
            lines.append([(f"Tokens that are not words take more: {percent(answer.rest)}.", "")])
        return {
            "right": right,
            "head": head,
            "lines": lines + self.after(right, "" if at is None else names[at], known),
            "values": list(answer.values) if question.kind == "word" or value else [],
            "form": answer.form,
            "best": list(answer.right),
            "yours": at,
            "open": answer.place and {"step": answer.place[0], "index": answer.place[1], "text": figure[2:]},
        }

    def place_of(self, guess: float | None) -> int | None:
        """Which of the words or choices a guess is; a word is guessed by its position."""
        if guess is None or self.step.question is None:
            return None
        if self.step.question.kind == "word":
            return next((i for i, word in enumerate(self.words) if guess in word), None)
        return int(guess) if guess in range(len(self.step.question.choices or VERDICTS)) else None

    def measured(self) -> dict[str, Any]:
        """What the step's trial finds, and how the guess did."""
        step, question = self.step, self.step.question
        given = measurements.spelled(given_to(step, self.view.sentence))
        finding = measurements.findings(self.view.model, step.trial, given, agreed=True)
        if question is None or question.kind == "number":
            result = self.number(finding.value, finding.what) if question else {"right": None, "head": [], "lines": []}
            return result | {"measured": [(finding.sentence, "")], "verdict": finding.verdict.value}
        at = self.place_of(self.request.guess)
        offered = question.choices or VERDICTS
        right = None if at is None else offered[at] == finding.verdict.value.capitalize()
        held = HELD.get(finding.verdict, "It cannot be tried here")
        head: Parts = [("You got it: " + held[0].lower() + held[1:] if right else held, "model"), (".", "")]
        guess = "" if at is None else offered[at].lower()
        wrong: list[Parts] = [[("You said: ", ""), (guess, "yours"), (".", "")]] if right is False else []
        under = finding.judgement.condition if finding.judgement else ""
        when: list[Parts] = [[(f"True within limits: {under}.", "")]] if under else []
        return {
            "right": right,
            "head": head,
            "lines": [*wrong, *when, *self.after(right, guess, finding.verdict.value)],
            "measured": [(finding.measured, "")],
            "verdict": finding.verdict.value,
            "yours": at,
        }

    def number(self, value: float, form: str) -> dict[str, Any]:
        """How a guessed number did; `form` is that of an answer, or says what was measured."""
        question, guess = self.step.question, self.request.guess
        assert question is not None
        right = None if guess is None else abs(guess - value) <= question.near

        def spoken(value: float) -> str:
            return f"{in_form(value, form)} {question.unit}".strip()

        known, yours = spoken(value), None if guess is None else spoken(guess)
        how = "You got it: " if yours == known else "Close: the answer is " if right else "The answer is "
        head: Parts = [(how, ""), (known, "model"), (".", "")]
        lines: list[Parts] = [] if yours in (None, known) else [[("You said ", ""), (str(yours), "yours"), (".", "")]]
        scale = {"low": question.low, "high": question.high, "value": value, "guess": guess}
        return {"right": right, "head": head, "lines": [*lines, *self.after(right, "", known)], "scale": scale}

    def after(self, right: bool | None, guess: str, answer: str) -> list[Parts]:
        """What the lesson says then: of its own sentence and model alone."""
        if self.is_own:
            return []
        texts = [self.step.after.guess.get(guess, "")] if guess else []
        if not any(texts) and right is not None:
            texts.append(self.step.after.right if right else self.step.after.wrong)
        return [parts(text, guess=guess, answer=answer) for text in (*texts, self.step.after.always) if text]


def values_of(run: RunOnScreen, question: Question | None) -> dict[str, object]:
    """What may stand in the texts of a lesson, of a run."""
    config = run.encoder.config
    return {
        "heads": config.n_heads,
        "layers": config.n_layers,
        "all_heads": config.n_heads * config.n_layers,
        "tokens": len(run.trace.tokens),
        "vocabulary": f"{config.vocab_size:,}",
        "model": run.view.model,
        "layer": run.view.layer,
        "head": run.view.head,
        "word": question.word if question else "",
    }


def answer_of(step: LessonStep, question: Question, run: RunOnScreen) -> tuple[tuple[str, ...], RunAnswer]:
    """What can be chosen, by name, and what a run answers."""
    pieces, view = run.trace.tokenization, run.view
    words = pressable(pieces, question)
    asked = AskedRun(run.encoder, run.trace, view.layer, view.head, words, question.word, question.choices)
    taken = {name: value for name, value in step.answer.items() if name != "of"}
    names = tuple(map(pieces.spelled, words)) if question.kind == "word" else question.choices
    return names, run_answers.ANSWERS[str(step.answer["of"])](asked, **taken)


def pressable(pieces: Tokens, question: Question | None) -> tuple[tuple[int, ...], ...]:
    """The words that can be pressed: tokens that are no words only where the question says so."""
    every = question is not None and question.tokens and question.kind == "word"
    return tuple(word for word in pieces.words if every or not pieces.special[word[0]])


def others(step: LessonStep) -> list[str]:
    """The sentences that a step measures besides the one on top."""
    texts: Sequence[object] = [step.given.get("other"), step.given.get("short"), *step.given.get("sentences", ())]
    return [text for text in texts if isinstance(text, str)]


def given_to(step: LessonStep, sentence: str) -> dict[str, Any]:
    """What the step's trial is given: what the lesson says and, where it takes one, the sentence on the screen."""
    given = dict(step.given)
    if "sentence" in TRIALS[step.trial].needed and "sentence" not in given:
        given["sentence"] = sentence if step.own else step.view.get("sentence", View.sentence)
    return given
