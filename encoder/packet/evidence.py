"""What the examination on gold trees says of heads, as patterns of sentences and their arguments."""

from typing import Any

from encoder.exam.examination import Exam, exam_by_content
from encoder.exam.frames import ALL
from encoder.exam.licence import ExamRow
from encoder.exam.links import GAP_VERBS, JUDGED
from encoder.exam.sentences import best_rule, job, text

Said = dict[str, Any]


def evidence(fingerprint: str, guess: str) -> list[Said]:
    """What is known of the heads of a model over many sentences; nothing of one that no shipped examination is of.

    Args:
        fingerprint: of the model's weights, as a `Source` has it.
        guess: the first guess of the run at its gap; "" without one.

    Returns:
        `{layer, head, here, key, args}` each: a sentence about a head, by its pattern. `here` tells that it is about a
        gap like this one, which a form of "be" or "have" fills; those come first.
    """
    exam = exam_by_content(fingerprint)
    if exam is None:
        return []
    return [one | {"here": guess in GAP_VERBS} for one in of_gaps(exam)] + [one | {"here": False} for one in jobs(exam)]


def entry(place: tuple[int, int], key: str, **args: object) -> Said:
    """One sentence about the head at a place, its layer and number."""
    return {"layer": place[0], "head": place[1], "key": key, "args": args}


def of_gaps(exam: Exam) -> list[Said]:
    """What the head that finds the subject of a masked verb best in made sentences does there, and in real ones."""
    made = next((frame for frame in exam.frames if frame.frame == ALL and frame.licensed), None)
    if made is None:
        return []
    place, (_, rule) = (made.layer, made.head), best_rule(made)
    found = [entry(place, "exam_made", share=made.accuracy, count=made.n, rule=rule)]
    real = [row for row in exam.rows if (row.relation, row.place) == (JUDGED, place)]
    found += [entry(row.place, "exam_real", text=text(row.treebank), **numbers(row)) for row in real]
    if not any(row.licensed for row in real):
        found.append(entry(place, "exam_not_confirmed"))
    return found


def jobs(exam: Exam) -> list[Said]:
    """What each head with a licence does, those of the surest numbers first."""
    rows = sorted(exam.licences(), key=lambda row: (row.place, -row.corrected_low))
    return [
        entry(row.place, "exam_job", text=text(row.treebank), job=job(row.relation, row.direction), **numbers(row))
        for row in rows
    ]


def numbers(row: ExamRow) -> dict[str, Any]:
    """The numbers of a row that a sentence says."""
    return {"share": row.accuracy, "count": row.n, "rule": row.distance_accuracy}
