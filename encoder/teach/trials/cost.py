"""What a trial takes before it is made: about, by the runs of the model that it makes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from encoder.experiments import LENGTHS
from encoder.experiments.probes.layers import probe_flops
from encoder.explain.cost import run_flops, size
from encoder.text_encoder import TextEncoder

USUAL = 16  # tokens of the sentences that a trial brings along
RUNS = {  # runs of the model, where a trial makes others than one for each text it is given, and one
    "same_vectors": 5,
    "identical_rows": 5,
    "padding_ignored": 6,
    "linked": 74,  # fifty sentences, and each head left out from its layer on
    **dict.fromkeys(("head_job", "some_head_links"), 58),
    **dict.fromkeys(("grammar_first", "place_kept", "words_told", "sentences_told"), 200),  # and their PROBES
    "feed_forward_needed": 90,  # 100 short sentences in full rows, three times
    "dropout_share": 9,
    "batch_is": 8,
    "block_takes": 40,  # 3,200 tokens through one block
    "each_alone": 10,
    "weight_contributes": 50,
    "kinds_at_once": 110,
    "linked_in": 58,
    "told_in": 200,  # and its probe
    "names_told": 100,
    "at_once": 20,  # of 128 tokens
    "lengths_run": 40,  # one of 500 tokens
    "recurrent_slower": 6 * 8,  # of 128 tokens, and those of the LSTM
    "order_agrees": 150,  # 50 steps, forward and backward: about three runs each
    "looked_at_matters": 20,
}
AT_ONCE = {  # runs held, where not 2
    "padding_ignored": 6,
    "same_vectors": 5,
    "identical_rows": 5,
    **dict.fromkeys(("grammar_first", "place_kept", "words_told", "sentences_told"), 40),
    "feed_forward_needed": 32,
    "linked": 18,
    **dict.fromkeys(("head_job", "some_head_links"), 18),
}
PROBES = {  # the tasks whose probes a trial fits
    "grammar_first": ("parts of speech", "good or bad"),
    "place_kept": ("place",),
    "words_told": ("parts of speech",),
    "sentences_told": ("good or bad",),
    "told_in": (),  # the one that it is given
    "names_told": (),
}
REPETITIONS = 4  # runs of each length that is timed
FIXED = {  # seconds, without the model
    "gradients_vanish": 0.7,
    "pre_norm_deeper": 1.4,
    "residuals_deep": 0.5,
    "norms_keep_length": 0.5,
    "linked": 0.4,
    **dict.fromkeys(("head_job", "some_head_links"), 0.3),
    "norms_keep_gradients": 0.4,
    "places_apart": 0.5,
    **dict.fromkeys(("setting_is", "part_size", "heads_divide"), 0.0),
    "kinds_at_once": 0.6,
    "linked_in": 0.3,
    "names_told": 3.0,
    "notebook_prints": 1.5,
    "trained_faster": 2.0,
    "heads_share_work": 16.0,
}
LEARNING = 2.0  # seconds for each layer of the models that are trained


class TrialCost(NamedTuple):
    """Floating-point operations of the model's runs, bytes held meanwhile, and seconds of what is no run of it."""

    flops: float
    nbytes: float
    seconds: float


def trial_cost(name: str, encoder: TextEncoder, given: Mapping[str, Any]) -> TrialCost:
    """What one trial will take; its parameters need not be checked yet."""
    texts = [one for value in given.values() for one in (value if isinstance(value, list) else [value])]
    texts = [one for one in texts if isinstance(one, str)]
    if name == "time_constant":
        longest = given.get("longest", LENGTHS[-1])
        lengths = given.get("lengths") or [n for n in LENGTHS if n <= min(longest, encoder.max_tokens)]
        flops = REPETITIONS * sum(run_flops(encoder.config, n) for n in lengths)
        return TrialCost(flops, size(encoder.config).bytes_of_a_run(64), 0)
    n = max([USUAL, *(len(encoder.tokenize(text).ids) for text in texts)])
    runs = RUNS.get(name, 1 + len(texts))
    nbytes = AT_ONCE.get(name, 2) * size(encoder.config).bytes_of_a_run(n)
    if name == "learns_better":
        return TrialCost(0, 0, LEARNING * given.get("layers", 2))
    if name == "all_linked":
        runs = n + 1
    tasks = (given["task"],) if name == "told_in" else PROBES.get(name, ())
    fits = sum(probe_flops(encoder.config, task) for task in tasks)
    return TrialCost(runs * run_flops(encoder.config, n) + fits, nbytes, FIXED.get(name, 0.1))
