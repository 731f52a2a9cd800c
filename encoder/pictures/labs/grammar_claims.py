"""Trials of how grammar is born, and of what heads pass in at the end."""

from collections.abc import Sequence

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.exam_sentences import title
from encoder.exam.examination import exam_by_content
from encoder.exam.moments import training_moments
from encoder.exam.passing import ExamRow
from encoder.exam.relation_curve import COUNTS, EXAMPLES, RelationCurve, relation_curve, whole
from encoder.exam.simple_rules import RULES
from encoder.pictures.labs.trial import Evidence, Finding, a_text, claim, curves, judge, trial, untried
from encoder.support.formatting import listed, percent

RELATION = a_text(choices=("obj", "det", "case"))
NO_EXAM = "The heads of this model were not examined on gold trees; those of “base” and “small” were."
STORED = "The exam is stored: it was taken before these weights were shipped."
NOT_EXAMINED = "The training of this model was not examined; that of “small” was."


def drawn(curve: RelationCurve) -> Evidence:
    """The share of right answers, those of the rules, and how often the head answers by the distance, by the step."""
    rules = {"the best simple rule": curve.rule_line, curve.fixed_name: curve.fixed_line}
    series = {"right": curve.shares, **rules, f"looks {curve.fixed_name}": curve.near}
    values = {name: shares.values() for name, shares in series.items()}
    return curves(values, [step + 1 for step in curve.steps], ("training steps + 1", "share"), True, False)


@trial(relation=RELATION)
def grammar_begins(encoder: TextEncoder, relation: str) -> Finding:
    """A head finds a relation of grammar surely more often than a fixed distance does, after part of the training only.

    The step at which the head that is best at the end is 10 points above the best distance, its interval of 95 % too,
    and stays.
    """
    moments = training_moments(encoder)
    if moments is None:
        return untried(NOT_EXAMINED)
    curve = relation_curve(moments, relation)
    at = curve.leaves or 0
    find, where = EXAMPLES[relation].find, EXAMPLES[relation].where
    what = f"steps of training until it finds {find} of {where} surely more often than a fixed distance does"
    text = f"{whole(curve, moments.model)} {STORED}"
    return Finding(float(curve.steps[at]), what, text, judge(at > 0), drawn(curve))


@trial(relation=RELATION)
def distance_first(encoder: TextEncoder, relation: str) -> Finding:
    """Before a head finds a relation of grammar more often than a fixed distance does, it looks mostly there.

    It may find the relation before, in words that stand elsewhere: how often it looks at the distance is counted.
    """
    moments = training_moments(encoder)
    if moments is None:
        return untried(NOT_EXAMINED)
    curve = relation_curve(moments, relation)
    if not curve.leaves:
        return untried(whole(curve, moments.model))
    before, since = (list(curve.near.values())[curve.leaves - back] for back in (1, 0))
    first, then = (curve.steps[curve.leaves - back] for back in (1, 0))
    text = (
        f"At step {first:,}, the last moment before it is above that distance, it looks {curve.fixed_name}, right or "
        f"wrong, from {percent(before)} of {curve.n:,} examples; at step {then:,} from {percent(since)}. It counts "
        f"as looking mostly there from {percent(COUNTS)} on. {STORED}"
    )
    return Finding(before, f"share of looks {curve.fixed_name} before", text, judge(curve.counted), drawn(curve))


@claim(
    "each-head",
    "workflow tutorial guide",
    "Each of the eight heads learns a relation of its own.",
    page="heads",
    chosen=[0, 1, 2, 3, 4, 5, 6, 7],
)
@trial()
def heads_passed(encoder: TextEncoder, chosen: list[int]) -> Finding:
    """Each of the heads of these numbers, in some layer, links words by a relation in which it passed the exam.

    The numbers count from 0. The exam on gold trees knows relations of grammar, and possession among them.
    """
    exam = exam_by_content(encoder.source.fingerprint)
    if exam is None:
        return untried(NO_EXAM)
    rows = [row for row in exam.passed() if row.head in chosen]
    able = sorted({row.head for row in rows})
    near = [row for row in exam.jobs() if row.head in chosen and not row.passed]
    also = f" Better than any fixed distance, but not than the best rule: {told_jobs(near)}." if near else ""
    text = (
        f"On sentences that people parsed, the heads {listed([str(head) for head in chosen])}, in all layers together, "
        f"passed the exam in {len(rows)} relations{': ' + told_jobs(rows) if rows else ''}; to pass is to be 10 points "
        f"better than each of {len(RULES)} simple rules.{also} A head of the same number in another layer is another "
        f"head. The exam is of grammar alone: what else a head means is not examined. {STORED}"
    )
    holds = judge(
        able == sorted(chosen), f"for {listed([f'head {head}' for head in able])} alone, and of grammar" if able else ""
    )
    return Finding(float(len(rows)), "relations that these heads passed in", text, holds)


def told_jobs(rows: Sequence[ExamRow]) -> str:
    """What each of some heads finds, and how often."""
    each = dict[int, list[str]]()
    for row in sorted(rows, key=lambda row: row.head):
        each.setdefault(row.head, []).append(f"{title(row.relation)} {percent(row.accuracy)}")
    return "; ".join(f"head {head}: {listed(relations)}" for head, relations in each.items())
