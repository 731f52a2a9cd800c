"""What a trial tells of models that know nothing: no claim about a trained model holds there.

Most trials are about arithmetic, about how models are built, or about random stacks: they hold of any model of the
right shape. The others say what training has made of a model.
"""

import pytest
from controls import chance_links, untrained

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
SLOW = pytest.mark.nightly  # fits a probe
PROBING = {name for name, trial in TRIALS.items() if trial.probes or name == "names_told"}


@pytest.fixture(scope="module")
def unlearned() -> TextEncoder:
    return untrained(0, "small")


def test_every_trial_of_a_claim_says_what_it_is_about() -> None:
    named = [trial for trials_of in ABOUT.values() for trial in trials_of]
    assert len(named) == len(set(named)) and set(named) <= set(TRIALS)
    assert {claim.trial for claim in CLAIMS} == set(named)


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=SLOW if claim.trial in PROBING else ()) for key, claim in LEARNED.items()]
)
def test_what_is_said_of_a_trained_model_does_not_hold_of_one_that_knows_nothing(
    key: str, unlearned: TextEncoder
) -> None:
    found = labs.run(LEARNED[key].trial, unlearned, LEARNED[key].given)
    assert found.verdict in (Verdict.FAILS, Verdict.UNTRIED), found.sentence


def test_few_untrained_models_have_a_head_with_a_job() -> None:
    found = chance_links(3, ("small",))
    assert found.asked == 3 * 4 * len(link_claims.LINKS)
    assert found.holds == 0 and found.with_a_condition == 0
