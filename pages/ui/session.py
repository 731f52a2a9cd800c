"""The only caching: models by name, and runs by what they were asked."""

import json
import os
import threading
from collections.abc import Mapping
from typing import Any

import cachetools
import streamlit as st
import torch

from encoder import TextEncoder, Trace, experiments, trials
from encoder.edits.text import text_to_edits
from encoder.experiments import timelapse
from encoder.experiments.timelapse import Moment, Strongest
from encoder.explain.cost import longest, size
from encoder.explain.proof import Check, checks
from encoder.formatting import short
from encoder.metrics import ROLES, SENTENCES, Survey, nearest_words, unit_words
from encoder.metrics import survey as measure
from encoder.trace.tokens import Text
from encoder.train.evaluation import Score, evaluate_text
from pages.ui import models, turns
from pages.ui.allocator import give_back_freed_memory
from pages.ui.results import Results
from pages.ui.state import View, current

RUNS_BYTES = 400_000_000  # what all kept runs together may hold: about 80 of a dozen tokens in base
SURVEYS_BYTES = FINDINGS_BYTES = MOMENTS_BYTES = 100_000_000  # what is measured, of each kind
RUN_BYTES = 400_000_000  # what one run may hold: longer text is cut
MODELS_BYTES = 2_500_000_000  # what the weights of all kept models may hold; their layouts take as much again
TIDY = 10  # runs after which freed memory goes back to the system
LONG = 64  # tokens of a sentence that is measured in turn


class Kept(cachetools.LRUCache[tuple[object, ...], TextEncoder]):
    """Models, bounded in bytes; with a model go its runs, which would keep it in memory."""

    def popitem(self) -> tuple[tuple[object, ...], TextEncoder]:
        """Let go of the model that was used longest ago."""
        key, value = super().popitem()
        runs().forget(key[0])
        return key, value


class Models:
    """The models of all sessions by name; one is loaded at a time, and the same one never twice at once."""

    def __init__(self) -> None:
        self.kept = Kept(maxsize=MODELS_BYTES, getsizeof=lambda one: size(one.config).bytes_of_weights)
        self.seat = threading.Lock()
        self.get = cachetools.cached(self.kept, condition=threading.Condition())(self.make)

    def make(self, name: str) -> TextEncoder:
        """Load or draw a model and settle how long its runs may be."""
        offer = models.MODELS.get(name)
        twin = self.get(offer.twin) if offer and offer.twin else None
        with self.seat:
            torch.set_num_threads(1)
            made = models.make(name, twin)
            made.max_tokens = longest(made.config, made.max_tokens, RUN_BYTES)
        return made


@st.cache_resource(show_spinner=False)
def store() -> Models:
    """The one store of models."""
    return Models()


@st.cache_resource(show_spinner=False)
def warm() -> None:
    """Start to load the usual model, once in a server's life."""
    threading.Thread(target=store().get, args=(View().model,), daemon=True).start()


def text_encoder(name: str) -> TextEncoder:
    """The model of that name, one for all sessions.

    Raises:
        ValueError: there is no such model here, or it is damaged or too large.
    """
    return store().get(name)


def is_loaded(name: str) -> bool:
    """Whether that model is at hand."""
    return (name,) in store().kept


def recorded(model: str, sentence: Text, hidden: tuple[int, ...], edits: str) -> Trace:
    """Run the model: one short run for each processor at a time, and long ones in turn."""
    encoder, changes = text_encoder(model), text_to_edits(edits)
    patched = {edit.value for edit in changes if isinstance(edit.value, str)}
    heavy = turns.is_heavy(encoder.config, len(encoder.tokenize(sentence).ids), 1 + len(patched))
    if runs().made % TIDY == 0:
        give_back_freed_memory()
    with turns.turn() if heavy else seats():
        return encoder.trace(sentence, hidden=hidden, edits=changes)


@st.cache_resource(show_spinner=False)
def seats() -> threading.Semaphore:
    """One for each processor."""
    return threading.Semaphore(os.cpu_count() or 1)


@st.cache_resource(show_spinner=False)
def runs() -> Results:
    """The runs of all sessions by what was asked for."""
    return Results(recorded, RUNS_BYTES, lambda trace: trace.nbytes)


def run(model: str, sentence: Text, hidden: tuple[int, ...] = (), edits: str = "") -> Trace:
    """The recorded run of a sentence; made when asked for first."""
    trace: Trace = runs().get(model, sentence, hidden, edits)
    return trace


@st.cache_data(max_entries=512, show_spinner=False)
def proofs(model: str, sentence: Text, hidden: tuple[int, ...], edits: str, step: str) -> list[Check]:
    """The proofs of one step of a run."""
    trace = run(model, sentence, hidden, edits)
    return checks(text_encoder(model).model, trace, trace.step(step))


def proof(step: str) -> list[Check]:
    """The proofs of one step of the run that this session looks at."""
    view = current()
    return proofs(view.model, st.session_state["read"], view.hidden, view.edits, step)


def measured(model: str, sentence: Text | None) -> Survey:
    """Measures of a model over one sentence, or over the bundled hundred."""
    encoder = text_encoder(model)
    long = sentence is None or len(encoder.tokenize(sentence).ids) > LONG
    with turns.turn() if long else seats(), st.spinner("Measuring …"):
        return measure(encoder, SENTENCES if sentence is None else [sentence])


@st.cache_resource(show_spinner=False)
def surveys() -> Results:
    """The measures of all models over what was asked for."""
    return Results(measured, SURVEYS_BYTES)


def survey(sentence: Text | None) -> Survey:
    """Measures of the model that this session looks at; None stands for the bundled sentences."""
    found: Survey = surveys().get(current().model, sentence)
    return found


@st.cache_data(max_entries=4096, show_spinner=False)
def words_of_unit(model: str, layer: int, unit: int) -> str:
    """The words that a feed-forward unit's output points to, nearest first."""
    return ", ".join(word for word, _ in unit_words(text_encoder(model), layer, unit, 6))


@st.cache_data(max_entries=4096, show_spinner=False)
def words_near(model: str, token: int) -> str:
    """The words whose static embedding is nearest to a token's, with the cosine."""
    return ", ".join(f"{word} {short(cosine)}" for word, cosine in nearest_words(text_encoder(model), token, 10))


def now() -> Trace:
    """The run that this session looks at."""
    view = current()
    return run(view.model, st.session_state["read"], view.hidden, view.edits)


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


def finding(trial: str, given: Mapping[str, Any]) -> trials.Finding:
    """What a trial finds in the model that this session looks at; ValueError where it does not fit."""
    return findings(current().model, trial, spelled(given))


def spelled(given: Mapping[str, Any]) -> str:
    """A trial's parameters as one text that a cache can compare."""
    return json.dumps(dict(given), sort_keys=True)


def untouched() -> Trace:
    """The same run without edits."""
    view = current()
    return run(view.model, st.session_state["read"], view.hidden)


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
        with turns.turn(), st.spinner("Measuring every moment over 100 sentences …"):  # others may run in between
            found = measure(one)
            scores.append(evaluate_text(one, SENTENCES))
        for role, series in heads.items():
            series.append(timelapse.strongest(step, found, role))
    return heads, scores
