"""What a teacher can ask the class about the run on their screen; the answer is the model's own, of that moment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from encoder.edits.edit_text import edits_to_text
from encoder.metrics.guess import guess_place
from encoder.metrics.weight_matrices import largest_pair
from encoder.pictures.labs import CLAIMS
from encoder.pictures.labs.trial import Claim, Finding
from encoder.pictures.link import is_count
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.teach.lessons import run_answers
from encoder.teach.lessons.lesson import LessonStep
from encoder.teach.lessons.lesson import Question as LessonQuestion
from encoder.trace.trace import Trace
from pages.front.lesson_steps import GAP, VERDICTS, answer_of, given_to, parts, values_of
from pages.front.run_on_screen import RunOnScreen, run_on_screen
from pages.ui.classroom.open_class import LONGEST_OPTION, MOST_OPTIONS, Question
from pages.ui.lessons import library
from pages.ui.server import engine, jobs, measurements
from pages.ui.server.pool import borrowing
from pages.ui.state import site

MOST_WORDS = 4  # to choose from where a word is guessed
LONGEST = 200  # characters of a question
LONGEST_SENTENCE = 400  # characters of it that stand with a question
IN_GAP = "What does the model put in the gap?"
SLOW = "this takes long to measure; measure it on the page Lessons first"


@dataclass(frozen=True)
class Screen(RunOnScreen):
    """What is on the teacher's screen."""

    def where(self, *, head: bool = True) -> str:
        """Return what run a question is about."""
        place = f", head {self.view.head} of layer {self.view.layer}" if head else ""
        return f"answers of a class; {self.view.model}, “{shown(str(self.trace.text), 100)}”{place}"

    def token(self, at: object) -> int:
        """Return the position of a token; EncoderError where there is none."""
        if type(at) is not int or not 0 <= at < len(self.trace.tokens):
            raise EncoderError("choose a word of this sentence")
        return at

    def row(self, word: int) -> dict[str, str]:
        """Return what a view of a token in the head on the screen says besides."""
        layer, head = str(self.view.layer), str(self.view.head)
        return {"layer": layer, "head": head, "word": str(word), "step": "attention.weights"}

    def called(self) -> list[str]:
        """Return what the tokens are called."""
        return distinct([GAP if token == self.encoder.mask_token else token for token in self.trace.tokens])

    def named(self, at: int) -> str:
        """Return a token in words."""
        name = shown(self.trace.tokens[at])
        gap = self.trace.tokens[at] == self.encoder.mask_token
        return "the gap" if gap else f"“{name}”{self.called()[at].removeprefix(name)}"

    def sentence(self, text: str = "") -> str:
        """Return the sentence, or one like it, with its gaps as they are written by hand."""
        tokens = self.trace.tokenization
        text = text or " ".join(filter(None, (tokens.text, tokens.pair)))
        return shown(text.replace(self.encoder.mask_token or GAP, GAP), LONGEST_SENTENCE)


def distinct(names: Sequence[str]) -> list[str]:
    """Return names with their places behind those that stand there more than once."""
    return [shown(name) + (f" ({i})" if names.count(name) > 1 else "") for i, name in enumerate(names)]


def screen(query: Mapping[str, str]) -> Screen:
    """Return the screen whose address has these parameters; raises what `run_on_screen` does."""
    return Screen(**vars(run_on_screen(query)))


def offer(query: Mapping[str, str]) -> dict[str, Any]:
    """What can be asked here: the tokens, which of them to ask about first, and the claims.

    Where something cannot be asked, why is said in a sentence.
    """
    with borrowing():
        at = screen(query)
        weights = at.trace[f"layers.{at.view.layer}.attention.weights"][at.view.head]
        source, target = largest_pair(weights.numpy(), at.trace.tokenization.special)
        word = query.get("word", "")
        known = is_count(word) and int(word) < len(at.trace.tokens)
        return {
            "tokens": at.called(),
            "layers": at.encoder.config.n_layers,
            "heads": at.encoder.config.n_heads,
            "place": [at.view.layer, at.view.head],
            "pair": [int(word) if known else source, target],
            "guess": guess_place(at.trace, at.encoder.mask_token),
            "no_guess": "" if "mlm.probabilities" in at.trace else at.encoder.why_no_guesses,
            "claims": [{"text": claim.text, "pages": pages_of(claim)} for claim in CLAIMS],
        }


def question(query: Mapping[str, str], kind: str, given: Mapping[str, Any]) -> Question:
    """Return the question of a kind; `given` are the words, or the claim, that were chosen for it.

    Raises:
        RefusedError: the model is not at hand.
        EncoderError: it cannot be asked, and why.
    """
    make_one = KINDS.get(kind)
    if make_one is None:
        raise EncoderError("there is no such question")
    with borrowing():
        asked = make_one(screen(query), given)
    page = given.get("page")
    place = site.named(page) if isinstance(page, str) else None
    return replace(asked, page=place.key if place else "", view={**query, **asked.view})


def pages_of(claim: Claim) -> list[str]:
    """Return the pages that show what a claim speaks of."""
    lesson = library.offered().get(claim.lesson)
    return [claim.page] if lesson is None else sorted({step.page for step in lesson.steps})


def look(at: Screen, given: Mapping[str, Any]) -> Question:
    """Return at which word a token looks most in the head; what the model adds to a text is no word."""
    word, special = at.token(given.get("word")), at.trace.tokenization.special
    among = [i for i in range(len(special)) if not special[i]]
    if not 2 <= len(among) <= MOST_OPTIONS:
        raise EncoderError(f"the sentence has {len(among)} words; a class chooses among 2 to {MOST_OPTIONS}")
    row = at.trace[f"layers.{at.view.layer}.attention.weights"][at.view.head, word, among]
    ask = f"Which word does {at.named(word)} look at most in head {at.view.head} of layer {at.view.layer}?"[:LONGEST]
    called, shares = at.called(), tuple(row.tolist())
    names = tuple(called[i][-LONGEST_OPTION:] for i in among)
    about = Question(0, "choice", ask, float(row.argmax()), names, shares, sentence=at.sentence(), where=at.where())
    return replace(about, in_sentence=True, right=run_answers.best(row), view=at.row(word))


def much(at: Screen, given: Mapping[str, Any]) -> Question:
    """Return how much of its weight a word gives to another."""
    word, to = at.token(given.get("word")), at.token(given.get("to"))
    layer, head = at.view.layer, at.view.head
    ask = f"What percentage of its weight does {at.named(word)} give {at.named(to)} in head {head} of layer {layer}?"
    share = float(at.trace[f"layers.{layer}.attention.weights"][head, word, to])
    about = Question(0, "number", ask[:LONGEST], 100 * share, high=100.0, sentence=at.sentence(), where=at.where())
    return replace(
        about, unit="%", view=at.row(word) | {"cell": f"layers.{layer}.attention.weights:{head},{word},{to}"}
    )


def guess(at: Screen, given: Mapping[str, Any]) -> Question:
    """Return what the model puts in the place of a word, which is hidden from it."""
    trace, word, text = with_gap(at, at.token(given.get("word")))
    best = (at.encoder.predict(trace, MOST_WORDS, [word]) or [[]])[0]
    if not best:
        raise EncoderError(at.encoder.why_no_guesses)
    listed = sorted((shown(name)[:LONGEST_OPTION], share) for name, share in best)
    truth = listed.index((shown(best[0][0])[:LONGEST_OPTION], best[0][1]))
    names, shares = tuple(name for name, _ in listed), tuple(share for _, share in listed)
    where = f"answers of a class; {at.view.model}, “{shown(text, 100)}”"
    tokens = trace.tokenization
    view = {"sentence": tokens.text, "word": str(word), **({"second": tokens.pair} if tokens.pair else {})}
    return Question(0, "choice", IN_GAP, float(truth), names, shares, sentence=text, where=where, view=view)


def with_gap(at: Screen, word: int) -> tuple[Trace, int, str]:
    """Return the run in which a word is a gap, where that stands, and its sentence.

    Raises:
        EncoderError: it cannot be hidden.
    """
    tokens, mask = at.trace.tokenization, at.encoder.mask_token
    if mask is None or (tokens.special[word] and tokens.tokens[word] != mask):
        raise EncoderError("choose a word of this sentence" if mask else at.encoder.why_no_guesses)
    if tokens.tokens[word] == mask:
        return at.trace, word, at.sentence()
    pieces = tokens.word_of(word)
    if len(pieces) > 1 and (at.view.hidden or at.view.edits):
        raise EncoderError("this word has several pieces; undo the changes to the run first")
    start, end = tokens.spans[pieces[0]][0], tokens.spans[pieces[-1]][1]
    second = bool(tokens.segments and tokens.segments[word])
    texts = [tokens.text, tokens.pair] if tokens.pair else [tokens.text]
    spelled = [text[:start] + GAP + text[end:] if i == second else text for i, text in enumerate(texts)]
    texts[second] = texts[second][:start] + mask + texts[second][end:]
    read = (texts[0], texts[1]) if len(texts) > 1 else texts[0]
    trace = engine.run(at.view.model, read, at.view.hidden, edits_to_text(at.view.edits))
    return trace, pieces[0], at.sentence(" ".join(spelled))


def holds(at: Screen, given: Mapping[str, Any]) -> Question:
    """Return whether a claim holds in this model."""
    number = given.get("claim")
    if type(number) is not int or not 0 <= number < len(CLAIMS):
        raise EncoderError("choose a claim")
    claim = CLAIMS[number]
    return verdict(claim.text, measured(at, claim.trial, claim.given), f"answers of a class; {at.view.model}")


def measured(at: Screen, trial: str, given: Mapping[str, Any]) -> Finding:
    """Return what a trial finds in the model; EncoderError where that takes long."""
    spelled = measurements.spelled(given)
    if measurements.trial_seconds(at.view.model, trial, spelled) > jobs.UNASKED:
        raise EncoderError(SLOW)
    return measurements.findings(at.view.model, trial, spelled, agreed=True)


def verdict(claim: str, finding: Finding, about: str) -> Question:
    """Return the question whether what was found holds."""
    word = finding.verdict.value.capitalize()
    if word not in VERDICTS:
        raise EncoderError(f"it cannot be tried in this model: {finding.sentence}")
    truth = float(VERDICTS.index(word))
    return Question(0, "choice", claim[:LONGEST], truth, VERDICTS, finding=finding.sentence, where=about)


def lesson_step(at: Screen) -> LessonStep | None:
    """The step of a lesson that is on the screen."""
    name = at.view.lesson
    if name not in library.offered():
        return None
    steps = library.offered()[name].steps
    return steps[at.view.at - 1] if 1 <= at.view.at <= len(steps) else None


def of_lesson(at: Screen, given: Mapping[str, Any]) -> Question:
    """Return the question of the lesson's step on the screen."""
    step = lesson_step(at)
    if step is None or step.question is None:
        raise EncoderError("this step of a lesson asks nothing; go to one that does")
    question = step.question
    if step.answer:
        return of_answer(at, step, question)
    finding = measured(at, step.trial, given_to(step, str(at.view.sentence)))
    ask = asked_plainly(at, question)
    if question.kind == "holds":
        return verdict(ask, finding, at.where(head=False))
    low, high, where = question.low, question.high, at.where(head=False)
    about = Question(0, "number", ask, finding.value, low=low, high=high, where=where, unit=question.unit)
    return replace(about, finding=finding.sentence, near_by=question.near)


def asked_plainly(at: Screen, question: LessonQuestion) -> str:
    """Return what a lesson asks, without the marks of its words."""
    return "".join(text for text, _ in parts(question.ask, **values_of(at, question)))[:LONGEST]


def of_answer(at: Screen, step: LessonStep, question: LessonQuestion) -> Question:
    """Return the question of a step whose answer the run gives."""
    names, answer = answer_of(step, question, at)
    ask = asked_plainly(at, question)
    if question.kind == "number":
        low, high, where = question.low, question.high, at.where()
        about = Question(0, "number", ask, answer.values[0], low=low, high=high, sentence=at.sentence(), where=where)
        return replace(about, unit=question.unit, near_by=question.near)
    if len(names) > MOST_OPTIONS or not answer.right:
        raise EncoderError("a class cannot be asked this: there is too much to choose from, or nothing of it is right")
    options = tuple(name[-LONGEST_OPTION:] for name in distinct(names))
    shares = answer.values if len(answer.values) == len(names) else ()
    truth = float(answer.right[0])
    about = Question(0, "choice", ask, truth, options, shares, sentence=at.sentence(), where=at.where())
    return replace(about, form=answer.form, in_sentence=question.kind == "word", right=answer.right)


KINDS: dict[str, Callable[[Screen, Mapping[str, Any]], Question]] = {
    "look": look,
    "much": much,
    "word": guess,
    "claim": holds,
    "lesson": of_lesson,
}
