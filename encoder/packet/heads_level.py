"""What is known of the heads of a model over many sentences: level 6, of the model and not of one run."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from encoder.atlas.atlas_folders import shelf
from encoder.atlas.corpus_numbers import head_survey
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.constructed_sentences import FrameRow
from encoder.exam.exam_sentences import constructed, job, scope, tally_of_heads, text, title
from encoder.exam.examination import Exam, exam_by_content
from encoder.exam.example_answers import HeadExamples, example_answers_of
from encoder.exam.links import GAP_VERBS, GAPS, JUDGED
from encoder.exam.passing import BELOW_THE_RULE, JUDGED_ELSEWHERE, NEAR_THE_RULE, ExamRow
from encoder.exam.simple_rules import RULES, distance_in_words
from encoder.experiments.circuit.phenomena import phenomenon
from encoder.experiments.circuit.shipped_circuits import circuits_by_content
from encoder.packet.carriers import TELLS
from encoder.packet.format import pack
from encoder.support.errors import EncoderError
from encoder.support.screening import is_fit
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
    """What the head that finds the subject of a gap best in constructed sentences does there, and in real ones."""
    best = constructed(exam)
    if best is None:
        return []
    place = best.layer, best.head
    rule = {"rules": len(RULES), "rule": best.rule_accuracy}
    sentences = [entry(place, "exam_made", share=best.accuracy, count=best.n, **rule)]
    real = [row for row in exam.rows if (row.relation, row.place) == (JUDGED, place)]
    for row in real:
        numbers = {"share": row.accuracy, "count": row.n, "rule": row.rule_accuracy}
        sentences.append(entry(row.place, "exam_real", text=text(row.treebank), **numbers))
    if not best.passed:
        sentences.append(entry(place, "exam_not_passed"))
    elif not any(row.passed for row in real):
        sentences.append(entry(place, "exam_not_confirmed"))
    return sentences


def head_jobs(exam: Exam) -> list[Said]:
    """Return what each head does that passed or is beyond any fixed distance, those of the surest numbers first.

    After those of a head that passed in none of them this is said.
    """
    entries = list[Said]()
    for at, rows in groupby(surest_first(exam), key=lambda row: row.place):
        own = list(rows)
        for row in own:
            numbers = {"share": row.accuracy, "count": row.n, "rules": len(RULES), "rule": row.rule_accuracy}
            entries.append(
                entry(at, "exam_job", text=text(row.treebank), job=job(row.relation, row.direction), **numbers)
            )
        if not any(row.passed for row in own):
            entries.append(entry(at, "exam_not_passed"))
    return entries


def surest_first(exam: Exam) -> list[ExamRow]:
    """Return the jobs of each head, those that passed and of the surest numbers first."""
    return sorted(exam.jobs(), key=lambda row: (row.place, not row.passed, -row.corrected_low))


Known = dict[str, Any]
MADE = "constructed sentences"
LONGEST = 60  # words of an example
EXAMPLE = 60  # characters of a pair that people wrote, as an example
CALLED = {  # what some phenomena are called behind "carries"
    "capital": "the capital",
    "country": "the country",
    "language": "the language",
    "reflexive": "himself or herself",
    "determiner": "this or these",
    "both": "the joining word",
}


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
    about: Known = {"exam": "", "passed": "", "jobs": [], "tried": [], "examples": [], "survey": survey(encoder)}
    about["carries"] = carries(encoder)
    if exam is not None:
        total = encoder.config.n_layers * encoder.config.n_heads
        about |= {"exam": scope(exam), "passed": tally_of_heads(exam, total), "jobs": jobs(exam), "tried": tried(exam)}
        about["examples"] = [shown(examples) for examples in example_answers_of(source.fingerprint)]
    return pack(6, {"heads": about}, {})


def carries(encoder: TextEncoder) -> list[Known]:
    """Which heads carry each phenomenon to the guess, with a pair as its example; nothing of a model not tried.

    `heads` are `[layer, head, share]`, each alone; `share` is that of all of them, which are `small` in number where
    they carry enough together, `random` the largest of random sets. `natural` says that people wrote the sentences,
    which differ in the number of the subject.
    """
    shipped = circuits_by_content(encoder.source.fingerprint)
    if shipped is None:
        return []
    fit = [pair for pair in shipped.natural.of_pairs if is_fit(pair.a, pair.b)]
    short = [pair for pair in fit if len(pair.a) <= EXAMPLE] or fit
    example = max(short, key=lambda pair: pair.flip)
    circuits = [("number", shipped.natural, (example.a, example.b, example.words))]
    for name, circuit in shipped.constructed.items():
        pair = phenomenon(name).pairs[0]
        a, b = (text.replace("___", str(encoder.mask_token)) for text in (pair.a, pair.b))
        circuits.append((name, circuit, (a, b, pair.answers or ("", ""))))
    return [
        {"what": CALLED.get(name, name), "tells": TELLS[name], "natural": circuit is shipped.natural}
        | {"heads": [[layer, head, circuit.each[layer, head]] for layer, head in circuit.heads]}
        | {"share": circuit.share, "small": circuit.small, "random": max(circuit.random), "count": circuit.pairs}
        | {"a": a, "b": b, "words": [*words]}
        for name, circuit, (a, b, words) in circuits
    ]


def carriers_named(all_carried: Sequence[Known]) -> list[tuple[int, int]]:
    """The heads that carry any phenomenon of `carries`, by layer and number."""
    return sorted({(layer, head) for row in all_carried for layer, head, _ in row["heads"]})


def shares_carried(encoder: TextEncoder) -> np.ndarray:
    """The shares of `carries`: [phenomena, heads of `carriers_named` and two], NaN of a head that is not told there.

    The last two are the share of its heads together, and the largest of random sets of as many.

    Raises:
        EncoderError: no circuits are shipped of this model.
    """
    all_carried = carries(encoder)
    if not all_carried:
        raise EncoderError("what heads carry was not tried with this model; the model “base” has them")
    heads = carriers_named(all_carried)
    shares = np.full((len(all_carried), len(heads) + 2), np.nan)
    for row, carried in zip(shares, all_carried, strict=True):
        for layer, head, share in carried["heads"]:
            row[heads.index((layer, head))] = share
        row[-2:] = carried["share"], carried["random"]
    return shares


def jobs(exam: Exam) -> list[Known]:
    """What each head does that passed or is beyond any fixed distance, the surest first, with its figures.

    `made` says that it is for constructed sentences alone; `why` says what it lacks to pass.
    """
    known = [
        place(row)
        | {"job": job(row.relation, row.direction), "made": False, "passed": row.passed}
        | {"why": "" if row.passed else row.verdict, "figures": figures(row)}
        for row in surest_first(exam)
    ]
    if frame := constructed(exam):
        at = {"layer": frame.layer, "head": frame.head}
        real = [row for row in exam.rows if (row.relation, row.place) == (JUDGED, (frame.layer, frame.head))]
        numbers = [figure(MADE, frame)] + [figure(text(row.treebank), row) for row in real]
        only = not any(row.passed or row.beyond_distance for row in real)
        why = "" if frame.passed else BELOW_THE_RULE if frame.accuracy <= frame.rule_accuracy else NEAR_THE_RULE
        about = {"job": job("gap", frame.direction), "made": only, "passed": frame.passed, "why": why}
        known.append(at | about | {"figures": numbers})
    return known


def tried(exam: Exam) -> list[Known]:
    """What each head does best of all heads though it is no job of it, by how far it is above the rule, and why not."""
    frame = constructed(exam)
    rows = [row for row in exam.rows if row.treebank == exam.treebanks[0].name and row not in exam.jobs()]
    rows = [
        row
        for row in rows
        if row.verdict != JUDGED_ELSEWHERE
        and not (row.relation == JUDGED and frame and row.place == (frame.layer, frame.head))
        and row.accuracy > row.distance_accuracy
    ]
    return [
        place(row)
        | {"job": job(row.relation, row.direction), "why": row.verdict}
        | {"figure": figure(text(row.treebank), row)}
        for row in sorted(rows, key=lambda row: row.rule_accuracy - row.accuracy)
    ]


def place(row: ExamRow) -> Known:
    """Return the layer and the head of a row."""
    return {"layer": row.layer, "head": row.head}


def figures(row: ExamRow) -> list[Known]:
    """Return the figures of a row in its own text and in the one that confirms it."""
    here = figure(text(row.treebank), row)
    if row.second_accuracy is None or row.second_rule_accuracy is None:
        return [here]
    there = {"text": text(row.second), "share": row.second_accuracy, "count": row.second_n}
    there |= {"rule": row.second_rule_accuracy, "how": "", "fixed": row.second_distance_accuracy, "apart": ""}
    return [here, there]


def figure(of: str, row: ExamRow | FrameRow) -> Known:
    """Return how often a head is right in one kind of text, and how often the best rule and distance are."""
    best = {"rule": row.rule_accuracy, "how": row.rule}
    fixed = {"fixed": row.distance_accuracy, "apart": distance_in_words(row.distance)}
    return {"text": of, "share": row.accuracy, "count": row.n, **best, **fixed}


def shown(examples: HeadExamples) -> Known:
    """Return a few answers of a head, right and wrong ones, none longer than LONGEST, and what its loss costs there."""
    some = [example for example in examples.some if len(example.words) <= LONGEST and is_fit(*example.words)]
    return {
        "layer": examples.layer,
        "head": examples.head,
        "title": title(examples.relation),
        "text": text(examples.treebank),
        "count": examples.n,
        "cost": examples.cost,
        "gap": examples.relation in GAPS,
        "some": [
            {"words": list(each.words), "from": each.source, "answer": each.answer, "gold": each.gold} for each in some
        ],
    }


NAMED = ("self", "previous", "next", "punctuation", "special")  # where a head may be said to look most


def survey(encoder: TextEncoder) -> Known | None:
    """Return where each head looks over the corpus of the model's first atlas; None where it has none.

    `heads` is `[label, where, share]` of each, layer by layer: the label of `encoder.metrics.roles`, in which [CLS] and
    [SEP] are special tokens as any, and the one of NAMED that gets most, with its share.
    """
    atlas = next(iter(shelf(encoder.source).atlases), None)
    if atlas is None:
        return None
    try:
        measured = head_survey(atlas)
    except ModuleNotFoundError:  # what reads an atlas is an extra of the package, and no cell needs that
        return None
    heads = list[list[str | float]]()
    for layer, row in enumerate(measured.roles):
        for head, role in enumerate(row):
            shares = {name: float(measured.measures[name][layer, head]) for name in NAMED}
            where = max(shares, key=shares.__getitem__)
            label = "special" if role.label in ("cls", "sep") else role.label
            heads.append([label, where, round(shares[where], 5)])
    return {"over": atlas.card.scope, "heads": heads}
