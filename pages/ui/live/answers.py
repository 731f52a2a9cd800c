"""The answers of a class on every screen: the picture with their dots, and how many were right."""

from encoder.export.caption import About
from encoder.figures import answers
from encoder.figures.drawn import Drawn
from encoder.formatting import brief, percent
from pages.ui.components.chart import chart
from pages.ui.live.classroom import Results
from pages.ui.live.question import Question
from pages.ui.text import say, theme

VOTES = ("first vote", "second vote")


def draw(found: Results, key: str) -> None:
    """The picture and its sentence."""
    sentence = said(found)
    chart(picture(found), key, sentence, About(scope=found.question.where))
    say(sentence)


def picture(found: Results) -> Drawn:
    """Dots on the row, the words or the range that the class was asked about."""
    question, votes = found.question, dict(zip(VOTES, found.rounds, strict=False))
    if question.kind == "number":
        return answers.on_a_line(question.low, question.high, votes, right=question.truth, theme=theme())
    right = None if question.truth is None else int(question.truth)
    return answers.chosen(list(question.options), votes, right=right, values=question.values, theme=theme())


def said(found: Results) -> str:
    """What most answered, and how many were right in each vote, once that is to be seen."""
    question, last = found.question, found.rounds[-1]
    if not last:
        return "Nobody answered."
    if question.truth is None:
        return f"{len(last)} answered. {common(question, last)}"
    hits = ", then ".join(rate(question.hits(one), len(one)) for one in found.rounds)
    right = question.said(question.truth) if question.kind == "choice" else brief(question.truth)
    near = "" if question.kind == "choice" else " or near it"
    return f"It is “{right}”. That{near} said {hits}."


def common(question: Question, answered: list[float]) -> str:
    """What was said most, or the middle of the numbers."""
    if question.kind == "number":
        return f"Half of them said at most {brief(sorted(answered)[(len(answered) - 1) // 2])}."
    counts = question.counts(answered)
    best = max(counts, key=lambda one: counts[one])
    return f"Most often: “{question.said(best)}” ({counts[best]})."


def rate(hits: int, of: int) -> str:
    """A share of the class, in numbers."""
    return f"{hits} of {of} ({percent(hits / of)})" if of else "nobody"
