"""When grammar is born: the moment of training at which a head leaves the rule that needs no model.

A curve leaves its rule at the first moment from which on it lies 10 points above it, its interval of 95 % too. That it
is as often right as the rule before does not mean that the head goes by the rule: from how many words it looks at the
rule's distance, right or wrong, is counted apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.exam.exam_sentences import rule as rule_in_words
from encoder.exam.licence import MARGIN, wilson
from encoder.exam.links import JUDGED
from encoder.exam.moments import PERMUTED, Moments
from encoder.exam.treebank import ExamError
from encoder.support.formatting import percent

AGREEMENT = "agreement"
COUNTS = 0.5  # a head that looks at the rule's distance from such a share of the words is said to go by the rule
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
class Rise:
    """How one head does at a relation at every moment, of `n` links, beside the share of its rule.

    `near` is the share of the links from which it looks at the rule's distance, right or wrong. Of agreement, which is
    the whole model's work, `place` is None, the rule is the nearest noun, and `near` is empty.
    """

    relation: str
    place: Place | None
    n: int
    rule: float
    distance: int
    shares: dict[int, float]
    near: dict[int, float]

    @property
    def steps(self) -> list[int]:
        """Return the moments."""
        return list(self.shares)

    @property
    def rule_line(self) -> dict[int, float]:
        """Return the share of the rule at every moment: it needs no model, so it is the same at all."""
        return dict.fromkeys(self.shares, self.rule)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Return the interval of 95 % of the share at each moment."""
        return [wilson(round(share * self.n), self.n) for share in self.shares.values()]

    @property
    def leaves(self) -> int | None:
        """Return the number of the moment from which on it lies above its rule; None where it ends no higher."""
        above = [
            share >= self.rule + MARGIN and low > self.rule
            for share, (low, _) in zip(self.shares.values(), self.intervals, strict=True)
        ]
        if not above[-1]:
            return None
        return len(above) - next((i for i, higher in enumerate(reversed(above)) if not higher), len(above))

    @property
    def counted(self) -> bool:
        """Return whether it looked mostly at the rule's distance before it left the rule, and does so less since."""
        at, near = self.leaves, list(self.near.values())
        return bool(at and near and COUNTS <= near[at - 1] > near[at])

    @property
    def rule_name(self) -> str:
        """Return the rule in words."""
        return "the nearest noun" if self.place is None else rule_in_words(self.distance)


def relations_of(moments: Moments) -> list[str]:
    """Return the relations of EXAMPLES that were counted."""
    has_agreement = moments.agreement.made > 0 and moments.treebank != PERMUTED  # made sentences have no trees
    return [relation for relation in EXAMPLES if relation in moments.links or (relation == AGREEMENT and has_agreement)]


def rise(moments: Moments, relation: str, place: Place | None = None) -> Rise:
    """Return how a head does at a relation over the moments, without a place the one that is best at the end.

    Raises:
        ExamError: there is no such relation or head.
    """
    if relation == AGREEMENT:
        agreed = moments.agreement
        shares = {step: right / agreed.made for step, right in agreed.right.items()}
        return Rise(relation, None, agreed.made, agreed.nearest / agreed.made, 0, shares, {})
    if relation not in moments.links:
        raise ExamError(f"{moments.treebank} has no relation {relation!r:.80}")
    place = best(moments, relation)[-1] if place is None else place
    fixed, n = moments.rules[relation], moments.links[relation]
    near = moments.shares_near(relation, *place) if relation in next(iter(moments.near.values())) else {}
    return Rise(relation, place, n, fixed.right / n, fixed.distance, moments.shares(relation, *place), near)


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


def headline(curve: Rise, model: str) -> str:
    """Return when the curve leaves its rule, with its numbers; where it does not, that."""
    example, at, name = EXAMPLES[curve.relation], curve.leaves, who(curve.place, model)
    values, rule = list(curve.shares.values()), f"the rule “{curve.rule_name}” {percent(curve.rule)}"
    if not at:
        return (
            f"{capital(name)} does not rise above its rule: {percent(values[-1])} at step {curve.steps[-1]:,}, {rule}."
        )
    verb = "begins to prefer" if curve.place is None else "begins to find"
    verb = f"looks less often {curve.rule_name} and finds" if curve.counted else verb
    numbers = f"{percent(values[at - 1])} → {percent(values[at])}"
    between = f"Between step {curve.steps[at - 1]:,} and {curve.steps[at]:,}"
    return f"{between} {name} {verb} {example.find}: {numbers}, {rule}."


def under(curve: Rise, text: str) -> str:
    """Return of what the shares are, and how much it looked at the rule's distance around the moment."""
    example = EXAMPLES[curve.relation]
    if curve.place is None:
        return (
            f"Of {curve.n} made sentences, in how many the form of the verb that agrees with its subject is likelier "
            "than the other; the rule is the form that agrees with the nearest noun."
        )
    gap = " with a noun in between" if curve.relation == JUDGED else ""
    caption = (
        f"Of {curve.n:,} hand-marked examples from {text}: from how many the head looks from {example.where}{gap} most "
        f"at {example.find} that it belongs to."
    )
    at = curve.leaves
    if at and curve.near:
        first, then = list(curve.near.values())[at - 1 : at + 1]
        caption += (
            f" It looks {curve.rule_name}, right or wrong, from {percent(first)} of them, then from {percent(then)}."
        )
    return caption


def capital(words: str) -> str:
    """Return words with a capital at the start."""
    return words[:1].upper() + words[1:]
