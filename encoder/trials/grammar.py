"""Trials of how grammar is born: when a head leaves the rule that needs no model, and what it did before."""

from encoder.exam.moments import training_moments
from encoder.exam.rise import COUNTS, EXAMPLES, Rise, headline, rise
from encoder.formatting import percent
from encoder.text_encoder import TextEncoder
from encoder.trials.finding import Curves, Finding, array, judge, untried

RELATIONS = ("obj", "det", "case")
NOT_EXAMINED = "The training of this model was not examined; that of “small” was."


def curves(one: Rise) -> Curves:
    """The share of right answers, that of the rule, and how often the head answers by the rule, by the step."""
    series = {"right": one.shares, "the rule": one.rule_line, f"looks {one.rule_name}": one.near}
    steps = array(step + 1 for step in one.steps)
    values = {name: array(shares.values()) for name, shares in series.items()}
    return Curves(values, steps, ("training steps + 1", "share"), (True, False))


def grammar_begins(encoder: TextEncoder, relation: str) -> Finding:
    """A head finds a relation of grammar only after part of the training, and surely more often than a fixed distance.

    The step at which the head that is best at the end is 10 points above its rule, its interval of 95 % too, and stays.
    """
    moments = training_moments(encoder)
    if moments is None:
        return untried(NOT_EXAMINED)
    one = rise(moments, relation)
    at = one.leaves or 0
    what = f"steps of training until it finds {EXAMPLES[relation].find} of {EXAMPLES[relation].where}"
    return Finding(float(one.steps[at]), what, headline(one, moments.model), judge(at > 0), curves(one))


def distance_first(encoder: TextEncoder, relation: str) -> Finding:
    """Before a head finds a relation of grammar it looks mostly at a fixed distance, and less often since."""
    moments = training_moments(encoder)
    if moments is None:
        return untried(NOT_EXAMINED)
    one = rise(moments, relation)
    if not one.leaves:
        return untried(headline(one, moments.model))
    before, since = (list(one.near.values())[one.leaves - back] for back in (1, 0))
    first, then = (one.steps[one.leaves - back] for back in (1, 0))
    said = (
        f"At step {first:,}, the last moment before it leaves its rule, it looks {one.rule_name}, right or wrong, from "
        f"{percent(before)} of {one.n:,} examples; at step {then:,} from {percent(since)}. It counts as looking mostly "
        f"there from {percent(COUNTS)} on."
    )
    return Finding(before, f"share of looks {one.rule_name} before", said, judge(one.counted), curves(one))
