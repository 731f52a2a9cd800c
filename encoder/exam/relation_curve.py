"""When grammar is born: the moments of training at which a head begins to look at a word, and at which it beats rules.

A curve begins at the first moment from which on its interval of 95 % lies above that of the first moment. It leaves the
best fixed distance, and passes the best simple rule, at the first moment from which on it lies 10 points above it, its
interval too. That it is as often right as the distance before does not mean that the head goes by it: from how many
words it looks at that distance, right or wrong, is counted apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.exam.links import JUDGED
from encoder.exam.moments import NEAREST, PERMUTED, Moments
from encoder.exam.passing import MARGIN, wilson
from encoder.exam.simple_rules import RULES, distance_in_words
from encoder.exam.treebank import ExamError
from encoder.support.formatting import percent

AGREEMENT = "agreement"
COUNTS = 0.5  # a head that looks at the best distance from such a share of the words is said to go by it
Place = tuple[int, int]  # layer and head


@dataclass(frozen=True)
class Example:
    """A sentence whose grammar is marked: the word `source` belongs to `target`, both as they are spelled.

    `find` and `where` say what is found in words: "the verb", from "an object".
    """

    title: str
    find: str
    where: str
    sentence: str
    source: str
    target: str


KEYS = "The keys to the cabinet [MASK] on the table."
MAN, OLD = "The old man carried a very heavy bag.", "The keys to the old cabinet are on the table."
EXAMPLES = {
    "obj": Example("object → its verb", "the verb", "an object", MAN, "bag", "carried"),
    "det": Example("article → its noun", "the noun", "an article", MAN, "a", "bag"),
    "case": Example("preposition → its noun", "the noun", "a preposition", OLD, "to", "cabinet"),
    JUDGED: Example("masked verb → its subject", "the subject", "a masked verb", KEYS, "[MASK]", "keys"),
    AGREEMENT: Example("agreement: is or are", "the right form", "a masked verb", KEYS, "[MASK]", "keys"),
}


@dataclass(frozen=True)
class RelationCurve:
    """How one head does at a relation at every moment, of `n` links, beside the shares of rules without a model.

    `rule` is the share of the best rule of all, called `rule_name`, `fixed` that of the best fixed `distance`; `near`
    the share of the links from which the head looks at that distance, right or wrong. Of agreement, which is the whole
    model's work, `place` is None, the nearest noun stands for the distance, and `near` is empty.
    """

    relation: str
    place: Place | None
    n: int
    rule: float
    rule_name: str
    fixed: float
    distance: int
    shares: dict[int, float]
    near: dict[int, float]

    @property
    def steps(self) -> list[int]:
        """Return the moments."""
        return list(self.shares)

    @property
    def rule_line(self) -> dict[int, float]:
        """Return the share of the best rule at every moment: it needs no model, so it is the same at all."""
        return dict.fromkeys(self.shares, self.rule)

    @property
    def fixed_line(self) -> dict[int, float]:
        """Return the same of the best fixed distance."""
        return dict.fromkeys(self.shares, self.fixed)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Return the interval of 95 % of the share at each moment."""
        return [wilson(round(share * self.n), self.n) for share in self.shares.values()]

    @property
    def begins(self) -> int | None:
        """Return the number of the moment from which on it is surely above where it was at first; None without one."""
        start = self.intervals[0][1]
        return since([low > start for low, _ in self.intervals])

    @property
    def leaves(self) -> int | None:
        """Return the number of the moment from which on it lies above the best fixed distance; None without one."""
        return self.above(self.fixed)

    @property
    def passes(self) -> int | None:
        """Return the number of the moment from which on it lies above the best rule of all; None without one."""
        return self.above(self.rule)

    def above(self, level: float) -> int | None:
        """Return the number of the moment from which on it lies 10 points above a share, surely; None without one."""
        both = zip(self.shares.values(), self.intervals, strict=True)
        return since([share >= level + MARGIN and low > level for share, (low, _) in both])

    @property
    def counted(self) -> bool:
        """Return whether it looked mostly at the best distance before it left that, and does so less since."""
        at, near = self.leaves, list(self.near.values())
        return bool(at and near and COUNTS <= near[at - 1] > near[at])

    @property
    def fixed_name(self) -> str:
        """Return the best fixed distance in words, or what stands for it."""
        return NEAREST if self.place is None else distance_in_words(self.distance)


def since(holds: list[bool]) -> int | None:
    """Return the number of the moment from which on something holds up to the end; None where it does not there."""
    if not holds[-1]:
        return None
    return len(holds) - next((i for i, each in enumerate(reversed(holds)) if not each), len(holds))


def relations_of(moments: Moments) -> list[str]:
    """Return the relations of EXAMPLES that were counted."""
    has_agreement = moments.agreement.made > 0 and moments.treebank != PERMUTED  # constructed sentences have no trees
    return [relation for relation in EXAMPLES if relation in moments.links or (relation == AGREEMENT and has_agreement)]


def relation_curve(moments: Moments, relation: str, place: Place | None = None) -> RelationCurve:
    """Return how a head does at a relation over the moments, without a place the one that is best at the end.

    Raises:
        ExamError: there is no such relation or head.
    """
    if relation == AGREEMENT:
        agreed, n = moments.agreement, moments.agreement.made
        shares = {step: right / n for step, right in agreed.right.items()}
        rule, nearest = (right / n for right in (agreed.best_right, agreed.nearest))
        return RelationCurve(relation, None, n, rule, agreed.best, nearest, 0, shares, {})
    if relation not in moments.links:
        raise ExamError(f"{moments.treebank} has no relation {relation!r:.80}")
    place = best(moments, relation)[-1] if place is None else place
    rules, n = moments.rules[relation], moments.links[relation]
    near = moments.shares_near(relation, *place) if relation in next(iter(moments.near.values())) else {}
    fixed = rules.right / n, rules.distance
    return RelationCurve(
        relation, place, n, rules.best_right / n, rules.best, *fixed, moments.shares(relation, *place), near
    )


def best(moments: Moments, relation: str) -> list[Place]:
    """Return the head that gets most of a relation right at each moment; of several the first."""
    places = list[Place]()
    for right in moments.right.values():
        every = [(count, -layer, -head) for layer, row in enumerate(right[relation]) for head, count in enumerate(row)]
        _, layer, head = max(every)
        places.append((-layer, -head))
    return places


def every_head(moments: Moments, relation: str) -> NDArray[np.float64]:
    """Return what each head gets right of a relation at each moment: [layers x heads, moments], layer by layer."""
    n = moments.links[relation]
    return np.array([np.ravel(right[relation]) / n for right in moments.right.values()]).T


def who(place: Place | None, model: str) -> str:
    """Return the head in words; without one the model."""
    return model if place is None else f"head {place[1]} of layer {place[0]}"


def headline(curve: RelationCurve, name: str) -> str:
    """Return from when to when one learns to find it, and what that came to; else that it is no better than a rule."""
    first = curve.begins or curve.leaves
    if not curve.leaves or not first:
        rule = f"the rule “{curve.fixed_name}” gets {percent(curve.fixed, 1)}"
        step, share = list(curve.shares.items())[-1]
        return f"{capital(name)} does no better than a rule: {percent(share, 1)} at step {step:,}, {rule}."
    (start, before), (end, after) = (list(curve.shares.items())[at] for at in (first - 1, curve.leaves))
    does = "prefer" if curve.place is None else "find"
    learns = f"{name} learns to {does} {EXAMPLES[curve.relation].find}"
    return f"From step {start:,} to {end:,} {learns}: {percent(before, 1)} → {percent(after, 1)} right."


def passing(curve: RelationCurve) -> str:
    """Return when the curve is above the best fixed distance and the best rule; empty where it is above none."""
    if not curve.leaves:
        return ""
    left = f"From step {curve.steps[curve.leaves]:,} on it is at least 10 points above {fixed_rule(curve)} "
    left += f"({percent(curve.fixed)})"
    best = f"the best simple rule ({percent(curve.rule)})"
    if curve.passes:
        return f"{left}, from step {curve.steps[curve.passes]:,} on above {best}."
    never = "at no step above" if max(curve.shares.values()) <= curve.rule else "not 10 points above"
    return f"{left}, but {never} {best}."


def fixed_rule(curve: RelationCurve) -> str:
    """Return what the rule is called that counts words alone."""
    return f"the rule “{NEAREST}”" if curve.place is None else "the best fixed distance"


def whole(curve: RelationCurve, model: str) -> str:
    """Return all that is said of when a curve rises."""
    return f"{headline(curve, who(curve.place, model))} {passing(curve)}".strip()


def under(curve: RelationCurve, text: str) -> str:
    """Return of what the shares are, and how much it looked at the rule's distance around the moment."""
    example = EXAMPLES[curve.relation]
    if curve.place is None:
        return (
            f"The share of {curve.n} constructed sentences in which the form of the verb that agrees with its subject "
            f"is likelier than the other. {rules_of(curve, 'the form that agrees with ')}"
        )
    gap = " with a noun in between" if curve.relation == JUDGED else ""
    caption = (
        f"The share of {curve.n:,} hand-marked examples from {text} in which the head looks from {example.where}{gap} "
        f"most at {example.find} it belongs to. {rules_of(curve)}"
    )
    at = curve.leaves
    if at and curve.near:
        (before, first), (after, then) = list(curve.near.items())[at - 1 : at + 1]
        caption += (
            f" At step {before:,} it looks {curve.fixed_name}, right or wrong, in {percent(first)} of them, at step "
            f"{after:,} in {percent(then)}."
        )
    return caption


def rules_of(curve: RelationCurve, before: str = "") -> str:
    """Return the best simple rule and how many were tried, with how often it is right."""
    tried = f"The best of {len(RULES)} simple rules and all distances, {before}“{curve.rule_name}”"
    return f"{tried}, is right in {percent(curve.rule)}."


def capital(words: str) -> str:
    """Return words with a capital at the start."""
    return words[:1].upper() + words[1:]
