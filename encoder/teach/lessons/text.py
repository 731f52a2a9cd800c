"""Lessons as data and as text, as `encoder.teach.lessons.lesson` reads them."""

from typing import Any

import tomli_w

from encoder.teach.lessons.lesson import Lesson, LessonStep

COUNTS = ("layer", "head")  # fields of a view that are numbers


def write(lesson: Lesson) -> str:
    """The lesson as a TOML file that `encoder.teach.lessons.lesson.read` reads back as the same lesson."""
    return tomli_w.dumps(as_data(lesson))


def as_data(lesson: Lesson) -> dict[str, Any]:
    """The lesson as tables that `from_data` of lesson.py reads back; what is at its default is left out."""
    said = {"learn": lesson.learn, "level": lesson.level, "minutes": lesson.minutes}
    return {"title": lesson.title} | {k: v for k, v in said.items() if v} | {"step": list(map(table, lesson.steps))}


def table(step: LessonStep) -> dict[str, Any]:
    """One step as a table of the file; what is at its default is left out."""
    found: dict[str, Any] = {"part": step.part} if step.part else {}
    found |= {"page": step.page, "text": step.text}
    if step.view:
        found["view"] = {k: int(v) if k in COUNTS and v.isdigit() else v for k, v in step.view.items()}
    if step.own:
        found["own"] = True
    if step.trial:
        found["check"] = {"trial": step.trial, **step.given}
    if question := step.question:
        found["question"] = {"kind": question.kind, "ask": question.ask}
        if question.word:
            found["question"]["word"] = question.word
        if question.kind == "number":
            found["question"] |= {"low": question.low, "high": question.high}
    if step.statements:
        found["statements"] = list(step.statements)
    if step.not_shown:
        found["not_shown"] = step.not_shown
    return found
