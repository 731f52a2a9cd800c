"""When a head passes: better at a job than every simple rule, surely so, and on a second treebank too.

A head is chosen on even sentences and scored on odd ones, beside the best of all RULES and fixed distances, which is
found on all of them and so favoured. It passes where it beats that rule by MARGIN, where a Wilson interval, made wider
for all heads, directions and relations that were tried (Bonferroni), lies above the rule, and where the same head beats
the best rule of every other treebank by MARGIN too, with its interval of 95 % above it. Told apart is a head that does
all this beside the best fixed distance alone: it does more than count words, but a rule that is told the parts of
speech comes near it, or is better.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import NormalDist
from typing import Any

import torch

from encoder.exam.answers import DIRECTIONS, Tally
from encoder.exam.links import GAPS, JUDGED
from encoder.exam.simple_rules import RULES, distance_in_words

MARGIN = 0.10
ERROR = 0.05  # the share of intervals that miss, over all that is tried
PASSED = "passed"
BELOW_THE_RULE = "the best simple rule is right at least as often"
NEAR_THE_RULE = "under 10 points above the best simple rule"
UNCERTAIN = "not certain for so many heads and relations"
UNCONFIRMED = "not confirmed by another treebank"
NO_SECOND = "there is no second treebank to confirm it"
JUDGED_ELSEWHERE = "judged by the gaps with a noun between, where the nearest noun is not the subject"


@dataclass(frozen=True)
class HeadScore:
    """How a head does at a relation in the odd sentences of a treebank, and the rules beside it.

    `n` links were scored, `right` of them with the right answer: `accuracy` is their share, with its Wilson interval of
    95 %. The word `distance` words to the right is the right one in `distance_accuracy` of all links, what the best
    `rule` of all finds in `rule_accuracy`.
    """

    n: int
    right: int
    accuracy: float
    low: float
    high: float
    distance: int
    distance_accuracy: float
    rule: str
    rule_accuracy: float

    @property
    def numbers(self) -> dict[str, Any]:
        """Return what a row of an examination takes over, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "right"}

    @property
    def margin(self) -> float:
        """Return how far above the best rule it is."""
        return self.accuracy - self.rule_accuracy

    def lacks(self, rule: float, low: float) -> str:
        """Return what it lacks to be MARGIN above a rule, its interval from `low` on too; "" where it lacks nothing."""
        if self.accuracy <= rule:
            return BELOW_THE_RULE
        if self.accuracy - rule < MARGIN:
            return NEAR_THE_RULE
        return UNCERTAIN if low <= rule else ""


@dataclass(frozen=True)
class ExamRow:
    """The best head for a relation of a treebank; `corrected_low` is the interval's low end for all that was tried.

    `second` is the name of the other treebank that confirms it least, and the fields after it are of the same head
    there; None and empty where there is none with that relation. `beyond_distance` says that the head does beside the
    best fixed distance what it must do beside the best rule to pass; `verdict` says why `passed` is what it is.
    """

    treebank: str
    relation: str
    n: int
    layer: int
    head: int
    direction: str
    accuracy: float
    low: float
    high: float
    corrected_low: float
    distance: int
    distance_accuracy: float
    rule: str
    rule_accuracy: float
    second: str
    second_n: int
    second_accuracy: float | None
    second_low: float | None
    second_distance_accuracy: float | None
    second_rule_accuracy: float | None
    beyond_distance: bool
    passed: bool
    verdict: str

    @property
    def place(self) -> tuple[int, int]:
        """Return the layer and the head."""
        return self.layer, self.head


def wilson(right: int, n: int, error: float = ERROR) -> tuple[float, float]:
    """Return the interval of a share that misses the true one in `error` of all cases (Wilson 1927)."""
    z = NormalDist().inv_cdf(1 - error / 2)
    middle, half = right + z * z / 2, z * (right * (n - right) / n + z * z / 4) ** 0.5
    return max(0.0, (middle - half) / (n + z * z)), min(1.0, (middle + half) / (n + z * z))


def best_distance(tally: Tally, kind: str) -> tuple[int, float]:
    """Return the fixed distance that is right most often for a kind of links, and the share it is right in."""
    counts = tally.distances[kind]
    distance = nearest_most(counts)
    return distance, counts[distance] / counts.total()


def best_rule(tally: Tally, kind: str) -> tuple[str, float]:
    """Return the rule that is right most often for a kind of links, in words, and the share it is right in.

    Of several it is a fixed distance, then the first of RULES.
    """
    name, right = best_of(tally.distances[kind], tally.rules[kind])
    return name, right / tally.distances[kind].total()


def best_of(distances: Counter[int], rules: Sequence[int]) -> tuple[str, int]:
    """Return the best rule in words and how often it is right, of what is counted of distances and of RULES."""
    fixed, best = nearest_most(distances), max(range(len(RULES)), key=rules.__getitem__)
    if rules[best] > distances[fixed]:
        return str(RULES[best]), rules[best]
    return distance_in_words(fixed), distances[fixed]


def nearest_most(counts: Mapping[int, int]) -> int:
    """Return the distance that is counted most often, of several the nearest."""
    return min(counts, key=lambda apart: (-counts[apart], abs(apart), apart))


def best_head(tally: Tally, kind: str) -> tuple[int, int, int]:
    """Return direction, layer and head that are right most often in even sentences."""
    even = tally.right[tally.kinds.index(kind), 0]
    direction, layer, head = torch.unravel_index(even.argmax(), even.shape)
    return int(direction), int(layer), int(head)


def score(tally: Tally, kind: str, place: tuple[int, int, int]) -> HeadScore | None:
    """HeadScore a direction, layer and head on the odd sentences; None where these have no such link."""
    if kind not in tally.kinds:
        return None
    at = tally.kinds.index(kind)
    n, right = int(tally.asked[at, 1]), int(tally.right[at, 1][place])
    if not n:
        return None
    return HeadScore(n, right, right / n, *wilson(right, n), *best_distance(tally, kind), *best_rule(tally, kind))


def tests_of(tally: Tally) -> int:
    """Return how many heads, directions and kinds of links are tried."""
    return tally.right[:, 0].numel()


def judge(name: str, own: Tally, others: dict[str, Tally], tests: int) -> list[ExamRow]:
    """Return a row for each kind of links that even and odd sentences of a treebank have; `tests` is what was tried."""
    rows = list[ExamRow]()
    for kind in own.kinds:
        place = best_head(own, kind)
        scored = score(own, kind, place)
        if scored is None or not int(own.asked[own.kinds.index(kind), 0]):
            continue
        corrected = wilson(scored.right, scored.n, ERROR / tests)[0]
        elsewhere = {bank: score(tally, kind, place) for bank, tally in others.items()}
        verdict, beside_distance = (
            verdict_of(kind, scored, corrected, list(elsewhere.values()), rule)
            for rule in ("rule_accuracy", "distance_accuracy")
        )
        there = {bank: other_score for bank, other_score in elsewhere.items() if other_score is not None}
        second = min(there, key=lambda bank: there[bank].margin, default="")
        other = there.get(second)
        row = ExamRow(
            treebank=name,
            relation=kind,
            layer=place[1],
            head=place[2],
            direction=DIRECTIONS[place[0]],
            corrected_low=corrected,
            **scored.numbers,
            second=second,
            second_n=other.n if other else 0,
            second_accuracy=other.accuracy if other else None,
            second_low=other.low if other else None,
            second_distance_accuracy=other.distance_accuracy if other else None,
            second_rule_accuracy=other.rule_accuracy if other else None,
            beyond_distance=beside_distance == PASSED,
            passed=verdict == PASSED,
            verdict=verdict,
        )
        rows.append(row)
    return rows


def verdict_of(
    kind: str, scored: HeadScore, corrected_low: float, elsewhere: list[HeadScore | None], rule: str = "rule_accuracy"
) -> str:
    """Say whether a head passes beside a rule, whose share is the field of that name, or what it lacks first."""
    if kind in GAPS and kind != JUDGED:
        return JUDGED_ELSEWHERE
    if missing := scored.lacks(getattr(scored, rule), corrected_low):
        return missing
    if not elsewhere:
        return NO_SECOND
    confirmed = all(other is not None and not other.lacks(getattr(other, rule), other.low) for other in elsewhere)
    return PASSED if confirmed else UNCONFIRMED
