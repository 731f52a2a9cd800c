"""The answers of a class in numbers and a sentence: how often each was given, and how many were right."""

from collections import Counter
from typing import Any

from encoder.support.formatting import brief, percent
from pages.ui.classroom.question import Question
from pages.ui.classroom.rules import Results

VOTES = ("first vote", "second vote")
PLACES = 20  # of a range of numbers, into which answers are counted


def spelled(results: Results) -> dict[str, Any]:
    """Return all that a picture of them needs: a line for each answer, and the sentence.

    A line has the answer in words, how often it was given in each vote, whether it is right (None where that is not to
    be seen yet), and the model's own number, where it has one.
    """
    question, truth = results.question, results.question.truth
    counted = [Counter(placed(question, answers)) for answers in results.rounds]
    right = None if truth is None else placed(question, [truth])[0]
    given = {*counted[0], *counted[-1], *([] if right is None else [right])}
    offered = range(len(question.options)) if question.kind == "choice" else sorted(given)
    lines = [
        {
            "text": question.said(at) if question.kind == "choice" else span(question, int(at)),
            "votes": [votes[at] for votes in counted],
            "right": None if right is None else at == right,
            "value": question.values[int(at)] if question.values else None,
        }
        for at in offered
    ]
    return {"number": question.number, "said": said(results), "of": [*map(len, results.rounds)], "lines": lines}


def placed(question: Question, answers: list[float]) -> list[float]:
    """Return what was answered; of a range into which of its parts each falls."""
    if question.kind == "choice":
        return answers
    width = (question.high - question.low) / PLACES
    return [min(PLACES - 1, int((answer - question.low) / width)) for answer in answers]


def span(question: Question, at: int) -> str:
    """Return a part of the range in words."""
    width = (question.high - question.low) / PLACES
    return f"{brief(question.low + at * width)} to {brief(question.low + (at + 1) * width)}"


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
