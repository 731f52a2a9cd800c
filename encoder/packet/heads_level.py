"""What is known of the heads of a model over many sentences: level 6, of the model and not of one run."""

from typing import Any

from encoder.atlas.atlas_folders import shelf
from encoder.atlas.corpus_numbers import head_survey
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.exam_sentences import best_rule, job, rule, scope, text, title
from encoder.exam.examination import Exam, exam_by_content
from encoder.exam.few import HeadExamples, few_by_content
from encoder.exam.frames import ALL
from encoder.exam.licence import JUDGED_ELSEWHERE, ExamRow
from encoder.exam.links import GAP_VERBS, JUDGED
from encoder.packet.format import pack
from encoder.trace.trace import Trace

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
    return [sentence | {"here": guess in GAP_VERBS} for sentence in of_gaps(exam)] + [
        sentence | {"here": False} for sentence in head_jobs(exam)
    ]


def entry(place: tuple[int, int], key: str, **args: object) -> Said:
    """One sentence about the head at a place, its layer and number."""
    return {"layer": place[0], "head": place[1], "key": key, "args": args}


def of_gaps(exam: Exam) -> list[Said]:
    """What the head that finds the subject of a masked verb best in made sentences does there, and in real ones."""
    best = next((frame for frame in exam.frames if frame.frame == ALL and frame.licensed), None)
    if best is None:
        return []
    place, (_, rule) = (best.layer, best.head), best_rule(best)
    sentences = [entry(place, "exam_made", share=best.accuracy, count=best.n, rule=rule)]
    real = [row for row in exam.rows if (row.relation, row.place) == (JUDGED, place)]
    sentences += [entry(row.place, "exam_real", text=text(row.treebank), **numbers(row)) for row in real]
    if not any(row.licensed for row in real):
        sentences.append(entry(place, "exam_not_confirmed"))
    return sentences


def head_jobs(exam: Exam) -> list[Said]:
    """Return what each head with a licence does, those of the surest numbers first."""
    rows = sorted(exam.licences(), key=lambda row: (row.place, -row.corrected_low))
    return [
        entry(row.place, "exam_job", text=text(row.treebank), job=job(row.relation, row.direction), **numbers(row))
        for row in rows
    ]


def numbers(row: ExamRow) -> dict[str, Any]:
    """Return the numbers of a row that a sentence says."""
    return {"share": row.accuracy, "count": row.n, "rule": row.distance_accuracy}


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
        about["examples"] = [shown(examples) for examples in few_by_content(source.fingerprint)]
    return pack(6, {"heads": about}, {})


def jobs(exam: Exam) -> list[Known]:
    """What each head has a licence for, the surest first, with its figures in each kind of text and the rule beside."""
    rows = sorted(exam.licences(), key=lambda row: (row.place, -row.corrected_low))
    known = [
        place(row) | {"job": job(row.relation, row.direction), "made": False, "figures": figures(row)} for row in rows
    ]
    for frame in exam.frames:
        if frame.frame == ALL and frame.licensed:
            how, share = best_rule(frame)
            at = {"layer": frame.layer, "head": frame.head}
            real = [row for row in exam.rows if (row.relation, row.place) == (JUDGED, (frame.layer, frame.head))]
            numbers = [figure(MADE, frame.accuracy, frame.n, share, how)]
            numbers += [figure(text(row.treebank), *numbers_of(row)) for row in real]
            unconfirmed = not any(row.licensed for row in real)
            known.append(at | {"job": job("gap", frame.direction), "made": unconfirmed, "figures": numbers})
    return known


def tried(exam: Exam) -> list[Known]:
    """What each head does best of all heads without a licence for it, by how far it is above the rule, and why not."""
    licensed_frames = {(frame.layer, frame.head) for frame in exam.frames if frame.frame == ALL and frame.licensed}
    rows = [row for row in exam.rows if row.treebank == exam.treebanks[0].name and not row.licensed]
    rows = [
        row
        for row in rows
        if row.verdict != JUDGED_ELSEWHERE
        and not (row.relation == JUDGED and row.place in licensed_frames)
        and row.accuracy > row.distance_accuracy
    ]
    return [
        place(row)
        | {"job": job(row.relation, row.direction), "why": row.verdict}
        | {"figure": figure(text(row.treebank), *numbers_of(row))}
        for row in sorted(rows, key=lambda row: row.distance_accuracy - row.accuracy)
    ]


def place(row: ExamRow) -> Known:
    """Return the layer and the head of a row."""
    return {"layer": row.layer, "head": row.head}


def figures(row: ExamRow) -> list[Known]:
    """Return the figures of a row in its own text and in the one that confirms it."""
    here = figure(text(row.treebank), *numbers_of(row))
    if row.second_accuracy is None or row.second_distance_accuracy is None:
        return [here]
    return [here, figure(text(row.second), row.second_accuracy, row.second_n, row.second_distance_accuracy)]


def numbers_of(row: ExamRow) -> tuple[float, int, float, str]:
    """Return the share of right answers, of how many, that of the rule, and the rule in words."""
    return row.accuracy, row.n, row.distance_accuracy, rule(row.distance)


def figure(of: str, share: float, count: int, rule: float, how: str = "") -> Known:
    """Return how often a head is right in one kind of text, and how often the rule is; `how` is the rule in words."""
    return {"text": of, "share": share, "count": count, "rule": rule, "how": how}


def shown(examples: HeadExamples) -> Known:
    """Return a few answers of a head, right and wrong ones, none longer than LONGEST."""
    some = [example for example in examples.some if len(example.words) <= LONGEST]
    return {
        "layer": examples.layer,
        "head": examples.head,
        "title": title(examples.relation),
        "text": text(examples.treebank),
        "some": [
            {"words": list(each.words), "from": each.source, "answer": each.answer, "gold": each.gold} for each in some
        ],
    }


def survey(encoder: TextEncoder) -> Known | None:
    """Return where each head looks over the corpus of the model's first atlas; None where it has none.

    `heads` is `[label, nearest, share]` of each, layer by layer; the labels are those of `encoder.metrics.roles`.
    """
    atlas = next(iter(shelf(encoder.source).atlases), None)
    if atlas is None:
        return None
    try:
        roles = [role for row in head_survey(atlas).roles for role in row]
    except ModuleNotFoundError:  # what reads an atlas is an extra of the package, and no cell needs that
        return None
    return {
        "over": atlas.card.scope,
        "heads": [[label_of.label, label_of.nearest, round(label_of.mass, 5)] for label_of in roles],
    }
