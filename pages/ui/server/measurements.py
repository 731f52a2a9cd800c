"""What is measured of models and runs, for all sessions."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st
import torch

from encoder import TextEncoder, experiments, trials
from encoder.experiments import timelapse
from encoder.experiments.timelapse import Moment, Strongest
from encoder.explain.proof import Check, checks
from encoder.formatting import short
from encoder.metrics import ROLES, SENTENCES, Survey, nearest_words, unit_words
from encoder.metrics import survey as measure
from encoder.trace.tokens import Text
from encoder.train.evaluation import Score, evaluate_text
from pages.ui.server import job_queue
from pages.ui.server.cache import Results
from pages.ui.server.engine import run, seats, text_encoder

SURVEYS_BYTES = FINDINGS_BYTES = MOMENTS_BYTES = 100_000_000  # what is measured, of each kind
LONG = 64  # tokens of a sentence that is measured in turn


@st.cache_data(max_entries=512, show_spinner=False)
def proofs(model: str, sentence: Text, hidden: tuple[int, ...], edits: str, step: str) -> list[Check]:
    """The proofs of one step of a run."""
    trace = run(model, sentence, hidden, edits)
    return checks(text_encoder(model).model, trace, trace.step(step))


def measured(model: str, sentence: Text | None) -> Survey:
    """Measures of a model over one sentence, or over the bundled hundred."""
    encoder = text_encoder(model)
    long = sentence is None or len(encoder.tokenize(sentence).ids) > LONG
    with job_queue.turn() if long else seats(), st.spinner("Measuring …"):
        return measure(encoder, SENTENCES if sentence is None else [sentence])


@st.cache_resource(show_spinner=False)
def surveys() -> Results:
    """The measures of all models over what was asked for."""
    return Results(measured, SURVEYS_BYTES)


@st.cache_data(max_entries=4096, show_spinner=False)
def words_of_unit(model: str, layer: int, unit: int) -> str:
    """The words that a feed-forward unit's output points to, nearest first."""
    return ", ".join(word for word, _ in unit_words(text_encoder(model), layer, unit, 6))


@st.cache_data(max_entries=4096, show_spinner=False)
def words_near(model: str, token: int) -> str:
    """The words whose static embedding is nearest to a token's, with the cosine."""
    return ", ".join(f"{word} {short(cosine)}" for word, cosine in nearest_words(text_encoder(model), token, 10))


@st.cache_resource(show_spinner=False)
def experiment_results() -> Results:
    """What experiments found, by name, model and text."""
    return Results(tried, FINDINGS_BYTES)


def tried(name: str, model: str, text: Text) -> Any:
    """What an experiment finds."""
    experiment = getattr(experiments, name)
    with seats(), st.spinner("Measuring …"):
        return experiment(text_encoder(model), text) if model else experiment()


def lab(name: str, model: str = "", text: Text = "") -> Any:
    """The result of an experiment that depends on nothing but its own defaults, or on a model and a sentence."""
    return experiment_results().get(name, model, text)


@st.cache_resource(show_spinner=False)
def trial_results() -> Results:
    """What the trials of all sessions found."""
    return Results(put_to_trial, FINDINGS_BYTES)


def put_to_trial(model: str, trial: str, given: str) -> trials.Finding:
    """Measure now, at most one trial per processor at a time."""
    with seats():
        return trials.run(trial, text_encoder(model), json.loads(given))


def findings(model: str, trial: str, given: str) -> trials.Finding:
    """What a trial finds in a model; measured when asked for first."""
    found: trials.Finding = trial_results().get(model, trial, given)
    return found


def spelled(given: Mapping[str, Any]) -> str:
    """A trial's parameters as one text that a cache can compare."""
    return json.dumps(dict(given), sort_keys=True)


@st.cache_resource(max_entries=1, show_spinner="Loading the moments of training …")
def grown(model: str) -> dict[int, TextEncoder]:
    """A model after each step whose weights are kept, in order."""
    torch.set_num_threads(1)
    return {step: timelapse.at(model, step) for step in timelapse.snapshots(model)}


@st.cache_resource(show_spinner=False)
def time_lapses() -> Results:
    """What was seen at the moments of training."""
    return Results(lambda kind, *asked: kind(*asked), MOMENTS_BYTES)


def moments(model: str, sentence: str, layer: int, head: int, position: int) -> list[Moment]:
    """One sentence and one head in a model after each step whose weights are kept."""
    seen: list[Moment] = time_lapses().get(every_moment, model, sentence, layer, head, position)
    return seen


def every_moment(model: str, sentence: str, layer: int, head: int, position: int) -> list[Moment]:
    """Run every moment now."""
    with seats(), st.spinner("Running every moment …"):
        return [timelapse.moment(step, one, sentence, layer, head, position) for step, one in grown(model).items()]


def careers(model: str) -> tuple[dict[str, list[Strongest]], list[Score]]:
    """At each moment the strongest head of each role, and how well the model guesses, over the bundled sentences."""
    found: tuple[dict[str, list[Strongest]], list[Score]] = time_lapses().get(every_career, model)
    return found


def every_career(model: str) -> tuple[dict[str, list[Strongest]], list[Score]]:
    """Measure every moment now."""
    heads: dict[str, list[Strongest]] = {role: [] for role in ROLES}
    scores = []
    for step, one in grown(model).items():
        with job_queue.turn(), st.spinner("Measuring every moment over 100 sentences …"):  # others may run in between
            found = measure(one)
            scores.append(evaluate_text(one, SENTENCES))
        for role, series in heads.items():
            series.append(timelapse.strongest(step, found, role))
    return heads, scores
