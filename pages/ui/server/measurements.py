"""What is measured of models and runs, for all sessions: bounded, in turn, and nothing long unasked."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

import streamlit as st
import torch

from encoder import TextEncoder
from encoder.atlas.atlas_folders import Shelf, shelf
from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.corpus_numbers import head_survey
from encoder.atlas.reruns import Absence, AtlasPart
from encoder.atlas.reruns import absences as absences_of
from encoder.atlas.searching import NearToken, nearest_outputs, nearest_tokens
from encoder.experiments.attributions.circuits import looked_for, written_for
from encoder.experiments.probes import layer_probes as probing
from encoder.experiments.probes.layer_probes import labelled
from encoder.experiments.probes.regression import Regression
from encoder.explain.cost import run_flops
from encoder.metrics import SENTENCES, Survey, survey_cost
from encoder.metrics import survey as measure
from encoder.metrics.head_measures import HeadSurvey
from encoder.tasks.kept_moments import moments_of
from encoder.teach import trials
from encoder.teach.trials.experiment import Cost
from encoder.trace.tokens import Text
from pages.ui.server import jobs, memory
from pages.ui.server.engine import budget, held_by, kept, text_encoder
from pages.ui.server.pool import Results

P = ParamSpec("P")
R = TypeVar("R")
SURVEYS_BYTES = FINDINGS_BYTES = 50_000_000  # what is measured, of each kind
PROOFS_BYTES = 10_000_000
SNAPSHOTS_BYTES = 300_000_000  # the moments of one model
SENTENCE_SECONDS = 0.002  # of each sentence, however small the model is
Contexts = tuple[tuple[Text, int], ...]  # texts, each with the position of a token


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


@kept(SURVEYS_BYTES)
def surveyed(model: str, sentence: Text | None) -> Survey:
    """Measures of a model over one sentence, or over the bundled hundred."""
    encoder = text_encoder(model)
    texts = SENTENCES if sentence is None else [sentence]
    lengths = [len(encoder.tokenize(text).ids) for text in texts]
    memory.check_room(survey_cost(encoder.config, lengths).nbytes, "to measure this", budget.drop_one)
    if survey_seconds(encoder, lengths) <= jobs.SHORT:
        with jobs.short.turn(), st.spinner("Measuring …"):
            return measure(encoder, texts)
    with jobs.with_bar("Measuring …") as advance:
        return measure(encoder, texts, lambda share: advance(share, f"Measuring … {share:.0%}"))


def survey_seconds(encoder: TextEncoder, lengths: Sequence[int]) -> float:
    """About how long a survey over sentences of so many tokens each takes."""
    return survey_cost(encoder.config, lengths).flops / jobs.SPEED + SENTENCE_SECONDS * len(lengths)


def seconds_of_survey(model: str, sentence: Text | None) -> float:
    """About how long it takes to survey a model over one sentence, or over the bundled hundred."""
    encoder, texts = text_encoder(model), SENTENCES if sentence is None else [sentence]
    return survey_seconds(encoder, [len(encoder.tokenize(text).ids) for text in texts])


survey = once_asked(surveyed, seconds_of_survey, "survey")


@lru_cache(maxsize=1024)
def words_of_head(model: str, layer: int, head: int, token: int) -> tuple[list[tuple[str, float]], ...]:
    """By its weights alone: the words that a head looks for at a word, and those nearest to what it writes of it."""
    encoder = text_encoder(model)
    with jobs.short.turn():
        return looked_for(encoder, layer, head, token), written_for(encoder, layer, head, token)


@kept(FINDINGS_BYTES)
def findings_kept(model: str, trial: str, given: str) -> trials.Finding:
    """Measure now, one trial at a time, where there is room for the runs that it holds."""
    encoder, parameters = text_encoder(model), json.loads(given)
    cost = trials.TRIALS[trial].cost(encoder, parameters)
    with jobs.trying.turn():
        memory.check_room(cost.nbytes, "to measure this", budget.drop_one)
        with jobs.in_turn(seconds_of(cost)):
            return trials.run(trial, encoder, parameters)


def trial_seconds(model: str, trial: str, given: str) -> float:
    """About how long a trial takes; 0 where its finding is kept."""
    if findings_kept.has(model, trial, given):
        return 0.0
    return seconds_of(trials.TRIALS[trial].cost(text_encoder(model), json.loads(given)))


def seconds_of(cost: Cost) -> float:
    """About how long what costs so much takes."""
    return cost.flops / jobs.SPEED + cost.seconds


def findings(model: str, trial: str, given: str, *, agreed: bool = False) -> trials.Finding:
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


def seconds_of_runs(model: str, texts: Sequence[Text], times: int = 1) -> float:
    """About how long it takes to run a model so many times over some texts."""
    encoder = text_encoder(model)
    runs = sum(jobs.seconds(encoder.config, len(encoder.tokenize(text).ids), times) for text in texts)
    return runs + SENTENCE_SECONDS * len(texts)


@kept(PROOFS_BYTES)
def absences(model: str, part: AtlasPart, contexts: Contexts) -> list[Absence]:
    """What the absence of a head or unit does at a token of each of some texts; many run in turn."""
    encoder = text_encoder(model)
    with jobs.in_turn(seconds_of_runs(model, [text for text, _ in contexts], 2)):
        return absences_of(encoder, part, contexts)


knocked_out = once_asked(
    absences,
    lambda model, part, contexts: seconds_of_runs(model, [text for text, _ in contexts], 2),
    "knockout",
    "Run them without it",
)


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


def atlases(model: str) -> Shelf:
    """The atlases of a model, and of no other; looked for again when a card has come, gone or changed."""
    return shelf(text_encoder(model).source)


@lru_cache(maxsize=16)
def heads_of(atlas: Atlas) -> HeadSurvey:
    """The measures and labels of all heads over the corpus of an atlas."""
    return head_survey(atlas)


@lru_cache(maxsize=256)
def near_vector(atlas: Atlas, layer: int, vector: tuple[float, ...]) -> list[NearToken]:
    """The tokens of the corpus with the most alike vectors after a layer."""
    with jobs.short.turn():
        return nearest_tokens(atlas, layer, torch.tensor(vector))


@lru_cache(maxsize=256)
def near_output(atlas: Atlas, model: str, layer: int, head: int, z: tuple[float, ...]) -> list[NearToken]:
    """The tokens of the corpus to which a head of the model writes alike."""
    with jobs.short.turn():
        return nearest_outputs(atlas, text_encoder(model), layer, head, torch.tensor(z))
