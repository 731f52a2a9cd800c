"""All labs, by their groups in the order in which they are offered, and all trials, by the names of lesson files.

A lesson file can name a trial and give it numbers, words and sentences; nothing in a file is ever run as code. A trial
and the picture that measures for it stand in a module here and nowhere else, and so do the claims that it decides.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.pictures.lab import Lab
from encoder.pictures.labs import (
    carried_claims,
    depth_lab,
    flow_claims,
    grammar_claims,
    head_claims,
    link_claims,
    meaning_claims,
    order_lab,
    padding_lab,
    probing_claims,
    rollout_lab,
    sizes_claims,
    softmax_lab,
    training_claims,
    training_lab,
    variants_lab,
    wiring_claims,
)
from encoder.pictures.labs.trial import Claim, Finding, Trial
from encoder.support.errors import EncoderError

GROUPS: dict[str, dict[str, Lab]] = {
    "Order and position": order_lab.LABS,
    "Attention and softmax": softmax_lab.LABS | padding_lab.LABS | rollout_lab.LABS,
    "Residuals, norms, depth": depth_lab.LABS,
    "Training and knowledge": training_lab.LABS,
    "Today's variants": variants_lab.LABS,
}
LABS = {name: row for group in GROUPS.values() for name, row in group.items()}
MODULES = (
    order_lab,
    softmax_lab,
    padding_lab,
    head_claims,
    link_claims,
    carried_claims,
    flow_claims,
    meaning_claims,
    depth_lab,
    wiring_claims,
    sizes_claims,
    training_claims,
    probing_claims,
    grammar_claims,
    variants_lab,
)
SOURCES = {  # where claims stand: common kinds of tutorial, by their titles
    "guide": "Encoder Architecture in Transformers: A Step-by-Step Guide",
    "block": "Encoder Block, a reference sheet",
    "stack": "Full Transformer Encoder Stack, a notebook",
    "tutorial": "Encoder Architecture in Transformers: A Comprehensive Tutorial",
    "workflow": "Transformer Encoder Workflow",
    "asked": "our own question; none of these tutorials says it in so many words",
    "paper": "Attention Is All You Need (Vaswani et al. 2017)",
}


def trials_of(module: ModuleType) -> dict[str, Trial]:
    """Return the trials of a module, in their order."""
    return {name: value for name, value in vars(module).items() if isinstance(value, Trial)}


TRIALS: dict[str, Trial] = {name: trial for module in MODULES for name, trial in trials_of(module).items()}
CLAIMS: tuple[Claim, ...] = tuple(claim for trial in TRIALS.values() for claim in trial.claims)


def said_in(claim: Claim) -> str:
    """Return where a claim stands, in words."""
    return "; ".join(SOURCES[key] for key in claim.where)


def problems(name: object, given: Mapping[str, object], sentence: bool = False) -> list[str]:
    """Return what is wrong with a trial's name and inputs, one sentence each; `sentence` is given by the view."""
    if not isinstance(name, str) or name not in TRIALS:
        return [f"there is no trial {str(name)[:60]!r}; the trials are {', '.join(TRIALS)}"]
    return TRIALS[name].problems(given, sentence)


def run(name: str, encoder: TextEncoder, given: Mapping[str, Any]) -> Finding:
    """Measure now.

    Args:
        name: one of TRIALS.
        encoder: the model to measure.
        given: the trial's inputs.

    Raises:
        EncoderError: a name or input that `problems` finds fault with, or one that does not fit model and sentence.
    """
    if wrong := problems(name, given):
        raise EncoderError(wrong[0])
    return TRIALS[name](encoder, **given)
