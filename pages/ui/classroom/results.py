"""The answers of a class: in numbers and a sentence for the screens, and as a table or a page to keep."""

import html
from collections import Counter
from collections.abc import Sequence
from typing import Any

from encoder.pictures.export.tables import to_csv
from encoder.support.formatting import brief, listed, percent
from pages.ui.classroom.open_class import Question, Results

VOTES = ("first vote", "second vote")
MOST_TIED = 4  # answers that are written out
PLACES = 20  # of a range of numbers, into which answers are counted
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
td, th {{ text-align: left; padding: 3px 10px 3px 0; border-bottom: 1px solid #ccc; }}
.right {{ font-weight: 700; }}
meter {{ width: 8rem; }}
</style>
<h1>{title}</h1>
{body}
</html>
"""

TYPES = {"csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8"}
COLUMNS = ("question", "asked", "vote", "answer", "count", "of", "right", "about")


def spelled(results: Results) -> dict[str, Any]:
    """Return all that a picture of them needs: a line for each answer, and the sentence.

    A line has the answer and its words, how often it was given in each vote, whether it is right (None where that is
    not to be seen yet), and the model's own number, where it has one: as a share of the room of a bar, and in words.
    """
    question, truth = results.question, results.question.truth
    counted = [Counter(placed(question, answers)) for answers in results.rounds]
    right = None if truth is None else placed(question, [truth])[0]
    given = {*counted[0], *counted[-1], *([] if right is None else [right])}
    offered = range(len(question.options)) if question.kind == "choice" else sorted(given)
    lines = [
        {
            "answer": at,
            "text": question.in_words(at) if question.kind == "choice" else span(question, int(at)),
            "votes": [votes[at] for votes in counted],
            "right": None if right is None else question.is_right(at) if question.kind == "choice" else at == right,
            **model_gives(question, int(at)),
        }
        for at in offered
    ]
    about = {"number": question.number, "said": summary(results), "of": [*map(len, results.rounds)], "lines": lines}
    return about | {"near": question.near, "had": "" if truth is None else f"{hits(results)} had it."}


def model_gives(question: Question, at: int) -> dict[str, Any]:
    """Return the model's own number for an answer; None where it has none."""
    if not question.values:
        return {"value": None, "gives": ""}
    value, whole = question.values[at], 1.0 if question.form == "share" else max(map(abs, question.values)) or 1.0
    gives = {"share": percent, "count": lambda count: f"{count:,.0f}"}.get(question.form, brief)(value)
    return {"value": max(0.0, value / whole), "gives": gives}


def placed(question: Question, answers: list[float]) -> list[float]:
    """Return what was answered; of a range into which of its parts each falls."""
    if question.kind == "choice":
        return answers
    width = (question.high - question.low) / PLACES
    return [min(PLACES - 1, int((answer - question.low) / width)) for answer in answers]


def span(question: Question, at: int) -> str:
    """Return a part of the range in words."""
    width = (question.high - question.low) / PLACES
    ends = f"{brief(question.low + at * width)} to {brief(question.low + (at + 1) * width)}"
    return f"{ends} {question.unit}".rstrip()


def summary(results: Results) -> str:
    """Return what most answered, and how many were right in each vote, once that is to be seen."""
    question, last = results.question, results.rounds[-1]
    if not last:
        return f"Nobody answered. {question.finding}".strip()
    if question.truth is None:
        return f"{len(last)} answered. {common(question, last)}"
    if question.kind == "number":
        near = f"{hits(results)} said that or near it."
        return f"It is {with_unit(question.truth, question)}. {near} {question.finding}".strip()
    right = " and ".join(f"“{name}”" for at, name in enumerate(question.options) if question.is_right(at))
    return f"It is {right}: {hits(results)} had it. {question.finding}".strip()


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
    return f"{brief(value)} {question.unit}".rstrip()


def rate(hits: int, of: int) -> str:
    """Return a share of the class, in numbers."""
    return f"{hits} of {of} ({percent(hits / of)})" if of else "nobody"


def file(kind: str, results: list[Results], title: str) -> str:
    """Return the answers as one of TYPES."""
    return table(results) if kind == "csv" else page(results, title)


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


def page(results: list[Results], title: str) -> str:
    """Return all questions with their answers as one HTML page."""
    return PAGE.format(title=html.escape(title), body="\n".join(map(section, results)) or "<p>Nothing was asked.</p>")


def section(results: Results) -> str:
    """One question of that page."""
    question = results.question
    head = f"<h2>{question.number}. {html.escape(question.ask)}</h2>\n<p>{html.escape(summary(results))}</p>"
    return "\n".join([head, *(vote(results, i) for i, answers in enumerate(results.rounds) if answers)])


def vote(results: Results, number: int) -> str:
    """Return the answers of one vote as a table."""
    question, answers = results.question, results.rounds[number]
    lines = [
        f"<tr{' class=right' if question.is_right(answer) else ''}><td>{html.escape(question.in_words(answer))}</td>"
        f"<td>{count}</td><td><meter max={len(answers)} value={count}></meter></td></tr>"
        for answer, count in question.counts(answers).items()
    ]
    label = f"{VOTES[number].capitalize()}: {rate(question.hits(answers), len(answers))} right"
    return f"<table><caption>{html.escape(label)}</caption>{''.join(lines)}</table>"
