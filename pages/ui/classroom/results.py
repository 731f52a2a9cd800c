"""What a class answered, to keep: a table, and one page that reads without the app."""

import html
from collections.abc import Sequence

from encoder.pictures.export.tables import to_csv
from pages.ui.classroom.answers import VOTES, rate, said
from pages.ui.classroom.rules import Results

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


def file(kind: str, found: list[Results], title: str) -> str:
    """The answers as one of TYPES."""
    return table(found) if kind == "csv" else page(found, title)


def table(found: list[Results]) -> str:
    """A line for each answer that was given in a vote: how often, and whether it is right."""
    rows: list[Sequence[object]] = [COLUMNS]
    for one in found:
        question = one.question
        for vote, answers in enumerate(one.rounds, 1):
            for answer, count in question.counts(answers).items():
                right = "yes" if question.is_right(answer) else "no"
                given = (question.ask, vote, question.said(answer), count, len(answers), right, question.where)
                rows.append([question.number, *given])
    return to_csv(rows)


def page(found: list[Results], title: str) -> str:
    """All questions with their answers as one HTML page."""
    return PAGE.format(title=html.escape(title), body="\n".join(map(section, found)) or "<p>Nothing was asked.</p>")


def section(found: Results) -> str:
    """One question of that page."""
    question = found.question
    head = f"<h2>{question.number}. {html.escape(question.ask)}</h2>\n<p>{html.escape(said(found))}</p>"
    return "\n".join([head, *(vote(found, i) for i, answers in enumerate(found.rounds) if answers)])


def vote(found: Results, number: int) -> str:
    """The answers of one vote as a table."""
    question, answers = found.question, found.rounds[number]
    lines = [
        f"<tr{' class=right' if question.is_right(answer) else ''}><td>{html.escape(question.said(answer))}</td>"
        f"<td>{count}</td><td><meter max={len(answers)} value={count}></meter></td></tr>"
        for answer, count in question.counts(answers).items()
    ]
    label = f"{VOTES[number].capitalize()}: {rate(question.hits(answers), len(answers))} right"
    return f"<table><caption>{html.escape(label)}</caption>{''.join(lines)}</table>"
