"""The answers of a class on every screen: the picture with their dots, and how many were right."""

from collections import Counter
from dataclasses import replace

import numpy as np

from encoder.export.caption import About
from encoder.figures.answers import MODEL, places
from encoder.formatting import brief, percent
from encoder.pictures.expression import Name
from encoder.pictures.picture import Answer, Picture
from pages.ui.live.classroom import Results
from pages.ui.live.question import Question
from pages.ui.picture import ask, show

VOTES = ("first vote", "second vote")


def draw(results: Results) -> None:
    """The picture and its sentence."""
    scene = replace(ask(CLASS_ANSWERS), extra={"answers": counted(results), "results": results})
    show(CLASS_ANSWERS, scene=scene)


def offered(results: Results) -> list[float]:
    """What could be answered, by its place; of a range what was answered, as finely as it is drawn."""
    question = results.question
    if question.kind == "choice":
        return list(map(float, range(len(question.options))))
    return sorted({place for answers in results.rounds for place in places(question.low, question.high, answers)})


def counted(results: Results) -> np.ndarray:
    """How often each was answered in each vote, and the model's own numbers where it has some: [votes, answers]."""
    question, rounds = results.question, results.rounds[: len(VOTES)]
    if question.kind == "number":
        rounds = tuple(places(question.low, question.high, answers) for answers in rounds)
    counts = [[Counter(answers)[place] for place in offered(results)] for answers in rounds]
    return np.array([*counts, question.values] if question.values else counts, dtype=float)


def names_of(answer: Answer) -> dict[str, list[str] | list[float]]:
    """What the votes and the answers are called."""
    results: Results = answer.scene.extra["results"]
    votes = [*VOTES[: len(results.rounds)], *[MODEL] * bool(results.question.values)]
    options = results.question.options
    return {"series": votes, "answer": list(options) if options else offered(results)}


def look_of(answer: Answer) -> dict[str, float | None]:
    """The range of what could be answered, and what is right."""
    question: Question = answer.scene.extra["results"].question
    if question.kind == "number":
        return {"low": question.low, "high": question.high, "right": question.truth}
    return {"right": None if question.truth is None else int(question.truth)}


CLASS_ANSWERS = Picture(
    key="class_answers",
    page="class",
    question="What did the class answer?",
    measure=lambda scene: Name("answers"),
    dims=("series", "answer"),
    names=names_of,
    kind="people",
    unit="answers",
    title="What the class answered",
    say=lambda answer: said(answer.scene.extra["results"]),
    about=lambda scene: About(scope=scene.extra["results"].question.where),
    needs="model",
    look=look_of,
)


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
