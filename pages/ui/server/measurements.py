"""What is measured of models and runs, for all sessions: bounded, in turn, and nothing long unasked."""

import json
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from encoder import TextEncoder
from encoder.experiments.probes import layer_probes as probing
from encoder.experiments.probes.layer_probes import labelled
from encoder.experiments.probes.regression import Regression
from encoder.explain.cost import run_flops
from encoder.pictures import labs
from encoder.pictures.labs.trial import Cost, Finding
from encoder.tasks.kept_moments import moments_of
from pages.ui.server import jobs, memory
from pages.ui.server.engine import budget, held_by, kept, text_encoder
from pages.ui.server.pool import Results

P = ParamSpec("P")
R = TypeVar("R")
FINDINGS_BYTES = 50_000_000
PROOFS_BYTES = 10_000_000
SNAPSHOTS_BYTES = 300_000_000  # the moments of one model


def once_asked(
    results: Results[P, R], seconds: Callable[P, float], name: str, doing: str = "Measure"
) -> Callable[P, R]:
    """Return what gives a result that is kept or takes a moment, and offers one that takes long on the page.

    It raises jobs.NotStarted where it was offered and not asked for yet.
    """

    def ask(*asked: P.args, **named: P.kwargs) -> R:
        if not results.has(*asked):
            jobs.ask(f"{name}_{abs(hash(asked))}", seconds(*asked, **named), doing)
        return results(*asked, **named)

    return ask


@kept(FINDINGS_BYTES)
def findings_kept(model: str, trial: str, given: str) -> Finding:
    """Measure now, one trial at a time, where there is room for the runs that it holds."""
    encoder, parameters = text_encoder(model), json.loads(given)
    cost = labs.TRIALS[trial].cost(encoder, parameters)
    with jobs.trying.turn():
        memory.check_room(cost.nbytes, "to measure this", budget.drop_one)
        with jobs.in_turn(seconds_of(cost)):
            return labs.run(trial, encoder, parameters)


def trial_seconds(model: str, trial: str, given: str) -> float:
    """About how long a trial takes; 0 where its finding is kept."""
    if findings_kept.has(model, trial, given):
        return 0.0
    return seconds_of(labs.TRIALS[trial].cost(text_encoder(model), json.loads(given)))


def seconds_of(cost: Cost) -> float:
    """About how long what costs so much takes."""
    return cost.flops / jobs.SPEED + cost.seconds


def findings(model: str, trial: str, given: str, *, agreed: bool = False) -> Finding:
    """What a trial finds in a model; measured when asked for first, which was `agreed` to where several are measured.

    Raises:
        EncoderError: it does not fit the model, or into memory.
        jobs.NotStarted: it takes long, and was not asked for; the page now offers it.
    """
    if not agreed:
        jobs.ask(f"trial_{abs(hash((model, trial, given)))}", trial_seconds(model, trial, given))
    return findings_kept(model, trial, given)


def spelled(given: Mapping[str, Any]) -> str:
    """A trial's parameters as one text that a cache can compare."""
    return json.dumps(dict(given), sort_keys=True)


def bytes_of_snapshots(every: Mapping[int, TextEncoder]) -> int:
    """What the moments of a model's training hold."""
    return sum(map(held_by, every.values()))


@kept(SNAPSHOTS_BYTES, bytes_of_snapshots)
def snapshots(model: str) -> dict[int, TextEncoder]:
    """A model after each step whose weights are kept, in order."""
    with st.spinner("Loading the moments of training …"):
        return moments_of(text_encoder(model))


@kept(PROOFS_BYTES)
def probed(model: str, task: str) -> probing.Probe:
    """What probes of every layer of a model tell, beside their control task."""
    encoder = text_encoder(model)
    with jobs.with_bar("Measuring …") as advance:
        return probing.probe(encoder, task, lambda share: advance(share, f"Measuring … {share:.0%}"))


def seconds_of_probe(model: str, task: str) -> float:
    """About how long it takes to probe every layer."""
    config = text_encoder(model).config
    return (len(labelled()) * run_flops(config, 8) + probing.probe_flops(config, task)) / jobs.SPEED


probe = once_asked(probed, seconds_of_probe, "probe", "Probe every layer")


@kept(PROOFS_BYTES)
def readers(model: str, layer: int) -> dict[str, Regression]:
    """A sentence classifier and a word tagger for one layer of a model, trained on the labelled sentences."""
    with jobs.in_turn(), st.spinner("Training …"):
        return probing.readers(text_encoder(model), layer)
