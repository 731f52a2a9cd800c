"""What is known of the heads of a model over many sentences: level 6, of the model and not of one run."""

from typing import Any

from encoder.atlas.atlas_folders import shelf
from encoder.atlas.habits import head_survey
from encoder.exam.examination import Exam, exam_by_content
from encoder.exam.few import HeadExamples, few_by_content
from encoder.exam.frames import ALL
from encoder.exam.licence import JUDGED_ELSEWHERE, ExamRow
from encoder.exam.links import JUDGED
from encoder.exam.sentences import best_rule, job, rule, scope, text, title
from encoder.packet.format import pack
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

Known = dict[str, Any]
MADE = "made sentences"
LONGEST = 60  # words of an example


def level_6(encoder: TextEncoder, trace: Trace, layer: int = -1, *, exam: Exam | None = None) -> bytes:
    """What the examination of the model's weights found of each head, examples of it, and the labels of its atlas.

    Args:
        encoder: the model.
        trace: a run of it, of which nothing is told.
        layer: of no layer.
        exam: the examination where none is shipped of these weights.
    """
    source = encoder.source
    exam = exam_by_content(source.fingerprint) or exam
    about: Known = {"exam": "", "jobs": [], "tried": [], "examples": [], "survey": survey(encoder)}
    if exam is not None:
        about |= {"exam": scope(exam), "jobs": jobs(exam), "tried": tried(exam)}
        about["examples"] = [shown(one) for one in few_by_content(source.fingerprint)]
    return pack(6, {"heads": about}, {})


def jobs(exam: Exam) -> list[Known]:
    """What each head has a licence for, the surest first, with its figures in each kind of text and the rule beside."""
    rows = sorted(exam.licences(), key=lambda row: (row.place, -row.corrected_low))
    found = [
        place(row) | {"job": job(row.relation, row.direction), "made": False, "figures": figures(row)} for row in rows
    ]
    for frame in exam.frames:
        if frame.frame == ALL and frame.licensed:
            how, share = best_rule(frame)
            at = {"layer": frame.layer, "head": frame.head}
            real = [row for row in exam.rows if (row.relation, row.place) == (JUDGED, (frame.layer, frame.head))]
            numbers = [figure(MADE, frame.accuracy, frame.n, share, how)]
            numbers += [figure(text(row.treebank), *numbers_of(row)) for row in real]
            made = not any(row.licensed for row in real)
            found.append(at | {"job": job("gap", frame.direction), "made": made, "figures": numbers})
    return found


def tried(exam: Exam) -> list[Known]:
    """What each head does best of all heads without a licence for it, by how far it is above the rule, and why not."""
    made = {(frame.layer, frame.head) for frame in exam.frames if frame.frame == ALL and frame.licensed}
    rows = [row for row in exam.rows if row.treebank == exam.treebanks[0].name and not row.licensed]
    rows = [
        row
        for row in rows
        if row.verdict != JUDGED_ELSEWHERE
        and not (row.relation == JUDGED and row.place in made)
        and row.accuracy > row.distance_accuracy
    ]
    return [
        place(row)
        | {"job": job(row.relation, row.direction), "why": row.verdict}
        | {"figure": figure(text(row.treebank), *numbers_of(row))}
        for row in sorted(rows, key=lambda row: row.distance_accuracy - row.accuracy)
    ]


def place(row: ExamRow) -> Known:
    """The layer and the head of a row."""
    return {"layer": row.layer, "head": row.head}


def figures(row: ExamRow) -> list[Known]:
    """The figures of a row in its own text and in the one that confirms it."""
    here = figure(text(row.treebank), *numbers_of(row))
    if row.second_accuracy is None or row.second_distance_accuracy is None:
        return [here]
    return [here, figure(text(row.second), row.second_accuracy, row.second_n, row.second_distance_accuracy)]


def numbers_of(row: ExamRow) -> tuple[float, int, float, str]:
    """The share of right answers, of how many, that of the rule, and the rule in words."""
    return row.accuracy, row.n, row.distance_accuracy, rule(row.distance)


def figure(of: str, share: float, count: int, rule: float, how: str = "") -> Known:
    """How often a head is right in one kind of text, and how often the rule is; `how` is the rule in words."""
    return {"text": of, "share": share, "count": count, "rule": rule, "how": how}


def shown(one: HeadExamples) -> Known:
    """A few answers of a head, right and wrong ones, none longer than LONGEST."""
    some = [example for example in one.some if len(example.words) <= LONGEST]
    return {
        "layer": one.layer,
        "head": one.head,
        "title": title(one.relation),
        "text": text(one.treebank),
        "some": [
            {"words": list(each.words), "from": each.source, "answer": each.answer, "gold": each.gold} for each in some
        ],
    }


def survey(encoder: TextEncoder) -> Known | None:
    """Where each head looks over the corpus of the model's first atlas; None where it has none.

    `heads` is `[label, nearest, share]` of each, layer by layer; the labels are those of `encoder.metrics.roles`.
    """
    atlas = next(iter(shelf(encoder.source).atlases), None)
    if atlas is None:
        return None
    roles = [role for row in head_survey(atlas).roles for role in row]
    return {"over": atlas.card.scope, "heads": [[one.label, one.nearest, round(one.mass, 5)] for one in roles]}
