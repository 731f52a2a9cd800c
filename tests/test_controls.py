"""What a trial tells of models that know nothing: no line about a trained model holds there.

Most trials are about arithmetic, about how models are built, or about random stacks: they hold of any model of the
right shape. The others say what training has made of a model.
"""

from functools import cache
from typing import Any

import pytest
from controls import SHAPES, chance_links, even, lines, untrained

from encoder import TextEncoder
from encoder.teach import trials
from encoder.teach.trials import TRIALS, Verdict, link_trials

pytestmark = pytest.mark.slow

# What each trial that a claim or a tutorial line names is about.
ABOUT = {
    "a trained model": (
        "linked", "head_job", "some_head_links", "refers", "leans", "grammar_first", "sentences_told",
        "feed_forward_needed", "rows_hold_meaning", "names_told", "told_in", "linked_in", "one_head_both",
        "heads_licensed", "kinds_at_once",
    ),
    "any model": (
        "residuals_add",
        "same_vectors", "identical_rows", "position_values", "one_frequency", "one_rotation", "sines_and_cosines",
        "places_apart", "contexts", "by_hand", "rows_sum", "all_look", "division_matters", "attention_linear",
        "activation_needed",
        "block_size", "part_size", "query_key_value", "shape_is", "one_width", "lengths_run", "time_constant",
        "ids_say",
        "setting_is", "batch_is", "block_takes", "picks_row", "each_alone", "blocks_chain", "last_norm_changes",
        "later_hidden", "own_class", "layers_refine", "powers_by_log", "block_total", "looks_at",
        "bare_is", "heads_are_one_matrix", "own_parameters", "positions_once",
        "positions_fixed", "place_kept", "dropout_share", "recurrent_slower", "at_once", "all_linked", "table_made",
        "positions_saved", "sums_need_one_width", "feed_forward_bends", "trained_faster", "weight_contributes",
    ),
    "no model": (
        "learns_faster",
        "softmax_is", "saturates", "layers_collapse", "residuals_deep", "gradients_vanish", "norms_keep_gradients",
        "norms_keep_length", "pre_norm_deeper", "std_norm_is", "masks_alike", "gradient_needs_division",
        "learns_better", "published_depth", "heads_divide",
        "families_open", "heads_share_work", "notebook_prints", "spread_grows",
    ),
}  # fmt: skip
LEARNED = {name: line for name, line in lines().items() if line[0] in ABOUT["a trained model"]}
MODELS = {**{f"untrained {shape}": (lambda shape=shape: untrained(0, shape)) for shape in SHAPES}, "even": even}


SMALLEST = "untrained small"
PROBING = {name for name, trial in TRIALS.items() if trial.probes or name == "names_told"}


def cases() -> list[Any]:
    """Every line with every model; those of the smallest model that fit no probe guard every change."""
    return [
        pytest.param(
            line, name, marks=() if name == SMALLEST and not PROBING & {LEARNED[line][0]} else pytest.mark.nightly
        )
        for line in LEARNED
        for name in MODELS
    ]


@cache
def model(name: str) -> TextEncoder:
    """One of MODELS, made once."""
    return MODELS[name]()


def test_every_trial_of_a_line_says_what_it_is_about() -> None:
    named = [trial for trials_of in ABOUT.values() for trial in trials_of]
    assert len(named) == len(set(named)) and set(named) <= set(TRIALS)
    assert {trial for trial, _ in lines().values()} == set(named)


@pytest.mark.parametrize(("line", "name"), cases())
def test_what_is_said_of_a_trained_model_does_not_hold_of_one_that_knows_nothing(line: str, name: str) -> None:
    trial, given = LEARNED[line]
    found = trials.run(trial, model(name), given)
    assert found.verdict in (Verdict.FAILS, Verdict.UNTRIED), found.sentence


def test_few_untrained_models_have_a_head_with_a_job() -> None:
    found = chance_links(3, ("small",))
    assert found.asked == 3 * 4 * len(link_trials.LINKS)
    assert found.holds == 0 and found.with_a_condition == 0


@pytest.mark.nightly
def test_of_thirty_untrained_models_one_verdict_in_twenty_at_most_finds_a_job() -> None:
    found = chance_links(10)
    assert found.asked == 10 * (8 + 4 + 12) * len(link_trials.LINKS)
    assert found.holds + found.with_a_condition <= 0.05 * found.asked
    assert found.models_with_a_job <= 0.2 * 30, "in a model as a whole, over all heads and jobs"
