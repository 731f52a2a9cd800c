"""What a trial tells of models that know nothing: no claim about a trained model holds there.

Most trials are about arithmetic, about how models are built, or about random stacks: they hold of any model of the
right shape. The others say what training has made of a model.
"""

from functools import cache
from typing import Any

import pytest
from controls import SHAPES, chance_links, even, untrained

from encoder import TextEncoder
from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS, TRIALS, link_claims
from encoder.pictures.labs.trial import Verdict

pytestmark = pytest.mark.slow

# What each trial that a claim names is about.
ABOUT = {
    "a trained model": (
        "linked", "head_job", "some_head_links", "refers", "leans", "grammar_first", "feed_forward_needed",
        "rows_hold_meaning", "told_in", "names_told", "one_head_both", "heads_passed",
        "each_carries_one",
    ),
    "any model": (
        "residuals_add", "identical_rows", "position_values", "one_frequency", "one_rotation", "contexts", "all_look",
        "attention_linear", "activation_needed", "block_size", "part_size", "query_key_value", "shape_is",
        "time_constant", "ids_say", "each_alone", "own_class", "layers_refine", "block_total", "looks_at", "place_kept",
        "all_linked", "trained_faster", "weight_contributes",
    ),
    "no model": (
        "learns_faster", "softmax_is", "saturates", "layers_collapse", "residuals_deep", "gradients_vanish",
        "norms_keep_gradients", "pre_norm_deeper", "std_norm_is", "masks_alike", "gradient_needs_division",
        "learns_better", "heads_share_work",
    ),
}  # fmt: skip
LEARNED = {claim.key: claim for claim in CLAIMS if claim.trial in ABOUT["a trained model"]}
MODELS = {**{f"untrained {shape}": (lambda shape=shape: untrained(0, shape)) for shape in SHAPES}, "even": even}


SMALLEST = "untrained small"
PROBING = {name for name, trial in TRIALS.items() if trial.probes or name == "names_told"}


def cases() -> list[Any]:
    """Every claim with every model; those of the smallest model that fit no probe guard every change."""
    return [
        pytest.param(key, name, marks=() if name == SMALLEST and claim.trial not in PROBING else pytest.mark.nightly)
        for key, claim in LEARNED.items()
        for name in MODELS
    ]


@cache
def model(name: str) -> TextEncoder:
    """One of MODELS, made once."""
    return MODELS[name]()


def test_every_trial_of_a_claim_says_what_it_is_about() -> None:
    named = [trial for trials_of in ABOUT.values() for trial in trials_of]
    assert len(named) == len(set(named)) and set(named) <= set(TRIALS)
    assert {claim.trial for claim in CLAIMS} == set(named)


@pytest.mark.parametrize(("key", "name"), cases())
def test_what_is_said_of_a_trained_model_does_not_hold_of_one_that_knows_nothing(key: str, name: str) -> None:
    found = labs.run(LEARNED[key].trial, model(name), LEARNED[key].given)
    assert found.verdict in (Verdict.FAILS, Verdict.UNTRIED), found.sentence


def test_few_untrained_models_have_a_head_with_a_job() -> None:
    found = chance_links(3, ("small",))
    assert found.asked == 3 * 4 * len(link_claims.LINKS)
    assert found.holds == 0 and found.with_a_condition == 0


@pytest.mark.nightly
def test_of_thirty_untrained_models_one_verdict_in_twenty_at_most_finds_a_job() -> None:
    found = chance_links(10)
    assert found.asked == 10 * (8 + 4 + 12) * len(link_claims.LINKS)
    assert found.holds + found.with_a_condition <= 0.05 * found.asked
    assert found.models_with_a_job <= 0.2 * 30, "in a model as a whole, over all heads and jobs"
