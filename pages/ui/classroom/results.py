"""The answers of a class: in numbers and a sentence for the screens, and as a table to keep."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from encoder.pictures.export.tables import to_csv
from encoder.support.formatting import brief, in_form, listed, percent
from pages.ui.classroom.open_class import Question, Results

MOST_TIED = 4  # answers that are written out
COLUMNS = ("question", "asked", "vote", "answer", "count", "of", "right", "about")


def spelled(results: Results) -> dict[str, Any]:
    """Return all that a picture of them needs: a line for each answer, and the sentence.

    A line has the answer and its words, how often it was given in each vote, whether it is right (None where that is
    not to be seen yet), and the model's own number, where it has one: as a share of the room of a bar, and in words.
    Numbers that were answered stand on a `scale`, with the model's own, instead.
    """
    question, truth = results.question, results.question.truth
    counted = [Counter(answers) for answers in results.rounds]
    lines = [
        {
            "answer": at,
            "text": text,
            "votes": [votes[at] for votes in counted],
            "right": None if truth is None else question.is_right(at),
            **model_gives(question, at),
        }
        for at, text in enumerate(question.options)
    ]
    about = {"number": question.number, "said": summary(results), "of": [*map(len, results.rounds)], "lines": lines}
    scale = {name: getattr(question, name) for name in ("low", "high", "unit", "truth", "near")}
    scale["votes"] = [*map(sorted, results.rounds)]
    about["scale"] = scale if question.kind == "number" else None
    return about | {"had": "" if truth is None else f"{hits(results)} got it."}


def model_gives(question: Question, at: int) -> dict[str, Any]:
    """Return the model's own number for an answer; None where it has none."""
    if not question.values:
        return {"value": None, "gives": ""}
    value, whole = question.values[at], 1.0 if question.form == "share" else max(map(abs, question.values)) or 1.0
    return {"value": max(0.0, value / whole), "gives": in_form(value, question.form)}


def summary(results: Results) -> str:
    """Return what most answered, and how many were right in each vote, once that is to be seen."""
    question, last = results.question, results.rounds[-1]
    if not last:
        return f"Nobody answered. {question.finding}".strip()
    if question.truth is None:
        return f"{len(last)} answered. {common(question, last)}"
    if question.kind == "number":
        answer = with_unit(question.truth, question)
        return f"The answer is {answer}: {hits(results)} came near. {question.finding}".strip()
    right = " and ".join(f"“{name}”" for at, name in enumerate(question.options) if question.is_right(at))
    return f"The answer is {right}: {hits(results)} got it. {question.finding}".strip()


def hits(results: Results) -> str:
    """Return how many were right in each vote."""
    return ", then ".join(rate(results.question.hits(answers), len(answers)) for answers in results.rounds)


def common(question: Question, answered: list[float]) -> str:
    """Return what was said most, or the middle of the numbers."""
    if question.kind == "number":
        return f"Half of them said at most {with_unit(sorted(answered)[(len(answered) - 1) // 2], question)}."
    counts = question.counts(answered)
    most = max(counts.values())
    best = [f"“{question.in_words(answer)}”" for answer, count in counts.items() if count == most]
    if len(best) > MOST_TIED:
        return f"A tie of {len(best)} answers ({most} each)."
    return f"A tie: {listed(best)} ({most} each)." if len(best) > 1 else f"Most often: {best[0]} ({most})."


def with_unit(value: float, question: Question) -> str:
    """Return a number that was asked for, in words."""
    return percent(value / 100) if question.unit == "%" else f"{brief(value)} {question.unit}".rstrip()


def rate(hits: int, of: int) -> str:
    """Return a share of the class, in numbers."""
    return f"{hits} of {of}" if of else "nobody"


def table(results: list[Results]) -> str:
    """Return a line for each answer that was given in a vote: how often, and whether it is right."""
    rows: list[Sequence[object]] = [COLUMNS]
    for result in results:
        question = result.question
        for vote, answers in enumerate(result.rounds, 1):
            for answer, count in question.counts(answers).items():
                right = "yes" if question.is_right(answer) else "no"
                given = (question.ask, vote, question.in_words(answer), count, len(answers), right, question.where)
                rows.append([question.number, *given])
    return to_csv(rows)
