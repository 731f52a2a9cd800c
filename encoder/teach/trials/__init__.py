"""Trials: claims about encoders as experiments that measure them now, by the names that lesson files use.

A lesson file can name a trial and give it numbers, words and sentences; nothing in a file is ever run as code. A trial
is a function of one of these modules that makes a `Finding` of an encoder: what else it takes stands in its signature,
and what it costs beside it.
"""

import inspect
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support.errors import EncoderError
from encoder.teach.trials import (
    arithmetic,
    carried_trials,
    flow_trials,
    grammar_trials,
    head_trials,
    link_trials,
    meaning,
    order,
    probing,
    since_2017_trials,
    sizes,
    stacks,
    training_trials,
    wiring,
)
from encoder.teach.trials.experiment import Experiment
from encoder.teach.trials.finding import Bars, Curves, Finding, Grid, Judgement, Picture, Verdict, judge
from encoder.teach.trials.head_trials import position_of


def experiments_of(module: ModuleType) -> dict[str, Experiment]:
    """Return the experiments that a module itself defines, in their order: also plain functions that make a finding."""
    values = {name: value if isinstance(value, Experiment) else usual(value) for name, value in vars(module).items()}
    return {name: trial for name, trial in values.items() if trial and trial.measure.__module__ == module.__name__}


def usual(value: object) -> Experiment | None:
    """Return the experiment of a function that makes a finding of an encoder; None of anything else."""
    if not inspect.isfunction(value) or "encoder" not in value.__annotations__:
        return None
    return Experiment(value) if value.__annotations__.get("return") is Finding else None


MODULES = (
    order,
    head_trials,
    carried_trials,
    link_trials,
    flow_trials,
    meaning,
    arithmetic,
    stacks,
    training_trials,
    probing,
    grammar_trials,
    wiring,
    sizes,
    since_2017_trials,
)
TRIALS: dict[str, Experiment] = {name: trial for module in MODULES for name, trial in experiments_of(module).items()}


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


__all__ = [
    "TRIALS",
    "Bars",
    "Curves",
    "Experiment",
    "Finding",
    "Grid",
    "Judgement",
    "Picture",
    "Verdict",
    "judge",
    "position_of",
    "problems",
    "run",
]
