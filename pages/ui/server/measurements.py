"""What is measured of models and runs, for all sessions: bounded, in turn, and nothing long unasked."""

import json
import threading
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

import cachetools
import streamlit as st
from torch import Tensor

from encoder import TextEncoder
from encoder.atlas.knockout import Absence, AtlasPart
from encoder.atlas.knockout import absences as absences_of
from encoder.experiments import timelapse
from encoder.experiments.attributions.circuits import looked_for, written_for
from encoder.experiments.attributions.similarity import mean_vector as mean_of_sentences
from encoder.experiments.probes import layers as probing
from encoder.experiments.probes.labelled import labelled
from encoder.experiments.probes.regression import Regression
from encoder.experiments.timelapse import Moment, Strongest
from encoder.explain.cost import run_flops
from encoder.explain.proof import Check, checks
from encoder.metrics import ROLES, SENTENCES, Survey, never_positive, survey_cost, unit_words
from encoder.metrics import survey as measure
from encoder.support.cancellation import pulse
from encoder.support.formatting import shown
from encoder.teach import trials
from encoder.teach.story import tour
from encoder.teach.trials.cost import trial_cost
from encoder.trace.tokens import Text
from encoder.train.evaluation import Score, evaluate_text
from pages.ui.server import cost_gate, job_queue, memory, task_models
from pages.ui.server.cache import Results
from pages.ui.server.engine import budget, cpu_slots, held_by, run, text_encoder
from pages.ui.server.pool import waiting_for

SURVEYS_BYTES = FINDINGS_BYTES = MOMENTS_BYTES = 50_000_000  # what is measured, of each kind
PROOFS_BYTES = 10_000_000
SNAPSHOTS_BYTES = 300_000_000  # the moments of one model
SENTENCE_SECONDS = 0.002  # of each sentence, however small the model is
MOST_IMPORTANCES = 64  # sweeps of all parts of a model, a few kilobytes each
Contexts = tuple[tuple[Text, int], ...]  # texts, each with the position of a token
LONG = 64  # tokens of a sentence that is measured in turn
importances: MutableMapping[tuple[Any, ...], Any] = cachetools.LRUCache(MOST_IMPORTANCES)  # by what was asked for
trial_lock = threading.Lock()  # one trial at a time: it may hold several runs


def proofs_of(model: str, sentence: Text, hidden: tuple[int, ...], edits: str, step: str) -> list[Check]:
    """The proofs of one step of a run, made now."""
    trace = run(model, sentence, hidden, edits)
    return checks(text_encoder(model).model, trace, trace.step(step))


def proofs(model: str, sentence: Text, hidden: tuple[int, ...], edits: str, step: str) -> list[Check]:
    """The proofs of one step of a run."""
    found: list[Check] = proof_results.get(model, sentence, hidden, edits, step)
    return found


def surveyed(model: str, sentence: Text | None) -> Survey:
    """Measures of a model over one sentence, or over the bundled hundred, made now."""
    encoder = text_encoder(model)
    texts = SENTENCES if sentence is None else [sentence]
    lengths = [len(encoder.tokenize(text).ids) for text in texts]
    memory.check_room(survey_cost(encoder.config, lengths).nbytes, "to measure this", budget.drop_one)
    if sentence is not None and lengths[0] <= LONG:
        with cpu_slots, st.spinner("Measuring …"):
            return measure(encoder, texts)
    with job_queue.slot():
        bar = st.progress(0.0, "Measuring …")
        found = measure(encoder, texts, lambda share: advance(bar, share))
        bar.empty()
        return found


def advance(bar: Any, share: float) -> None:
    """Show how far it is; ends the work where the visitor has left or chosen something else."""
    pulse()
    bar.progress(share, f"Measuring … {share:.0%}")


def survey_seconds(encoder: TextEncoder, lengths: Sequence[int]) -> float:
    """About how long a survey over sentences of so many tokens each takes."""
    return survey_cost(encoder.config, lengths).flops / cost_gate.SPEED + SENTENCE_SECONDS * len(lengths)


def survey(model: str, sentence: Text | None) -> Survey:
    """Measures of a model over one sentence, or over the bundled hundred.

    Raises:
        consent.NotStarted: it takes long, and was not asked for; the page now offers it.
    """
    if not surveys.has(model, sentence):
        encoder = text_encoder(model)
        lengths = [len(encoder.tokenize(text).ids) for text in (SENTENCES if sentence is None else [sentence])]
        cost_gate.ask(f"survey_{abs(hash((model, sentence)))}", survey_seconds(encoder, lengths))
    found: Survey = surveys.get(model, sentence)
    return found


@lru_cache(maxsize=4096)
def words_of_unit(model: str, layer: int, unit: int) -> str:
    """The words that a feed-forward unit's output points to, nearest first."""
    return ", ".join(f"“{shown(word)}”" for word, _ in unit_words(text_encoder(model), layer, unit, 6))


@lru_cache(maxsize=1024)
def words_of_head(model: str, layer: int, head: int, token: int) -> tuple[list[tuple[str, float]], ...]:
    """By its weights alone: the words that a head looks for at a word, and those nearest to what it writes of it."""
    encoder = text_encoder(model)
    with cpu_slots:
        return looked_for(encoder, layer, head, token), written_for(encoder, layer, head, token)


def put_to_trial(model: str, trial: str, given: str) -> trials.Finding:
    """Measure now, one trial at a time, where there is room for the runs that it holds."""
    encoder, parameters = text_encoder(model), json.loads(given)
    with waiting_for(trial_lock):
        needed = trial_cost(trial, encoder, parameters).nbytes
        memory.check_room(needed, "to measure this", budget.drop_one)
        with cpu_slots:
            return trials.run(trial, encoder, parameters)


def is_found(model: str, trial: str, given: str) -> bool:
    """Whether what a trial finds in a model is kept."""
    return findings_kept.has(model, trial, given)


def trial_seconds(model: str, trial: str, given: str) -> float:
    """About how long a trial takes; 0 where its finding is kept."""
    if is_found(model, trial, given):
        return 0.0
    cost = trial_cost(trial, text_encoder(model), json.loads(given))
    return cost.flops / cost_gate.SPEED + cost.seconds


def findings(model: str, trial: str, given: str, *, agreed: bool = False) -> trials.Finding:
    """What a trial finds in a model; measured when asked for first, which was `agreed` to where several are measured.

    Raises:
        EncoderError: it does not fit the model, or into memory.
        consent.NotStarted: it takes long, and was not asked for; the page now offers it.
    """
    if not agreed:
        cost_gate.ask(f"trial_{abs(hash((model, trial, given)))}", trial_seconds(model, trial, given))
    found: trials.Finding = findings_kept.get(model, trial, given)
    return found


def spelled(given: Mapping[str, Any]) -> str:
    """A trial's parameters as one text that a cache can compare."""
    return json.dumps(dict(given), sort_keys=True)


def snapshots_of(model: str) -> dict[int, TextEncoder]:
    """Load a model after each step whose weights are kept."""
    with st.spinner("Loading the moments of training …"):
        if task_models.is_one(model):
            return task_models.every_moment(model)
        return timelapse.moments_of(text_encoder(model))


def snapshots(model: str) -> dict[int, TextEncoder]:
    """A model after each step whose weights are kept, in order."""
    found: dict[int, TextEncoder] = snapshots_kept.get(model)
    return found


def moments(model: str, sentence: str, layer: int, head: int, position: int) -> list[Moment]:
    """One sentence and one head in a model after each step whose weights are kept."""
    seen: list[Moment] = time_lapses.get(every_moment, model, sentence, layer, head, position)
    return seen


def every_moment(model: str, sentence: str, layer: int, head: int, position: int) -> list[Moment]:
    """Run every moment now."""
    with cpu_slots, st.spinner("Running every moment …"):
        return [timelapse.moment(step, one, sentence, layer, head, position) for step, one in snapshots(model).items()]


def role_history(model: str) -> tuple[dict[str, list[Strongest]], list[Score]]:
    """At each moment the strongest head of each role, and how well the model guesses, over the bundled sentences.

    Raises:
        consent.NotStarted: it was not asked for; the page now offers it.
    """
    if not time_lapses.has(role_history_of, model):
        every = snapshots(model)
        lengths = [len(one.tokenize(text).ids) for one in list(every.values())[:1] for text in SENTENCES]
        seconds = 2 * sum(survey_seconds(one, lengths) for one in every.values())  # scores take as long as measures
        cost_gate.ask(f"role_history_{model}", seconds, "Measure every moment")
    found: tuple[dict[str, list[Strongest]], list[Score]] = time_lapses.get(role_history_of, model)
    return found


def role_history_of(model: str) -> tuple[dict[str, list[Strongest]], list[Score]]:
    """Measure every moment now."""
    heads: dict[str, list[Strongest]] = {role: [] for role in ROLES}
    scores = []
    for step, one in snapshots(model).items():
        with job_queue.slot(), st.spinner("Measuring every moment over 100 sentences …"):  # others may run in between
            found = measure(one)
            scores.append(evaluate_text(one, SENTENCES))
        for role, series in heads.items():
            series.append(timelapse.strongest(step, found, role))
    return heads, scores


def over_sentences(kept: Results, model: str, sentences: Sequence[str], name: str, *label: str) -> Any:
    """What is kept of a model that takes a run of each sentence; measured where it is short, or once it is asked for.

    Raises:
        consent.NotStarted: it takes long, and was not asked for; the page now offers it.
    """
    if not kept.has(model):
        encoder = text_encoder(model)
        flops = sum(run_flops(encoder.config, len(encoder.tokenize(text).ids)) for text in sentences)
        seconds = flops / cost_gate.SPEED + SENTENCE_SECONDS * len(sentences)
        cost_gate.ask(f"{name}_{abs(hash(model))}", seconds, *label)
    return kept.get(model)


def in_turn(measure: Callable[[TextEncoder], Any], sentences: Sequence[str]) -> Callable[[str], Any]:
    """A measurement of a model over sentences, as it is done when its turn has come."""

    def now(model: str) -> Any:
        with job_queue.slot(), st.spinner(f"Measuring over {len(sentences)} sentences …"):
            return measure(text_encoder(model))

    return now


def dead_units(model: str) -> Tensor:
    """The units of a model that get nothing above zero over the bundled sentences: [n_layers, d_ff] of bool."""
    found: Tensor = over_sentences(dead_results, model, SENTENCES, "dead")
    return found


def mean_vector(model: str) -> Tensor:
    """The mean of the bundled sentences' vectors in a model: [d_model]."""
    found: Tensor = over_sentences(mean_vectors, model, SENTENCES, "mean")
    return found


def habits(model: str) -> tour.Habits:
    """What the heads of a model look at out of habit."""
    found: tour.Habits = over_sentences(habits_kept, model, tour.OVER, "habits", "See what its heads do")
    return found


def knocked_out(model: str, part: AtlasPart, contexts: Contexts) -> list[Absence]:
    """What the absence of a head or unit does at a token of each of some texts.

    Raises:
        consent.NotStarted: it takes long, and was not asked for; the page now offers it.
    """
    if not knock_outs.has(model, part, contexts):
        encoder = text_encoder(model)
        flops = 2 * sum(run_flops(encoder.config, len(encoder.tokenize(text).ids)) for text, _ in contexts)
        seconds = flops / cost_gate.SPEED + SENTENCE_SECONDS * len(contexts)
        cost_gate.ask(f"knockout_{abs(hash((model, part, contexts)))}", seconds, "Run them without it")
    found: list[Absence] = knock_outs.get(model, part, contexts)
    return found


def absences(model: str, part: AtlasPart, contexts: Contexts) -> list[Absence]:
    """Run the texts with the part and without it now; many in turn."""
    encoder = text_encoder(model)
    longest = max(len(encoder.tokenize(text).ids) for text, _ in contexts)
    with job_queue.slot() if longest > LONG else cpu_slots:
        return absences_of(encoder, part, contexts)


def probe(model: str, task: str) -> probing.Probe:
    """What probes of every layer of a model tell, beside their control task.

    Raises:
        consent.NotStarted: it takes long, and was not asked for; the page now offers it.
    """
    if not probes_kept.has(model, task):
        config = text_encoder(model).config
        flops = len(labelled()) * run_flops(config, 8) + probing.probe_flops(config, task)
        cost_gate.ask(f"probe_{abs(hash((model, task)))}", flops / cost_gate.SPEED, "Probe every layer")
    found: probing.Probe = probes_kept.get(model, task)
    return found


def probed(model: str, task: str) -> probing.Probe:
    """Probe every layer now."""
    encoder = text_encoder(model)
    with job_queue.slot():
        bar = st.progress(0.0, "Measuring …")
        found = probing.probe(encoder, task, lambda share: advance(bar, share))
        bar.empty()
    return found


def fitted_readers(model: str, layer: int) -> dict[str, Regression]:
    """Train the readers now."""
    with job_queue.slot(), st.spinner("Training …"):
        return probing.readers(text_encoder(model), layer)


def readers(model: str, layer: int) -> dict[str, Regression]:
    """A sentence classifier and a word tagger for one layer of a model, trained on the labelled sentences."""
    found: dict[str, Regression] = readers_kept.get(model, layer)
    return found


def bytes_of_snapshots(every: Mapping[int, TextEncoder]) -> int:
    """What the moments of a model's training hold."""
    return sum(map(held_by, every.values()))


proof_results = Results(proofs_of, PROOFS_BYTES, budget=budget)
surveys = Results(surveyed, SURVEYS_BYTES, budget=budget)
habits_kept = Results(in_turn(tour.habits, tour.OVER), PROOFS_BYTES, budget=budget)
dead_results = Results(in_turn(never_positive, SENTENCES), PROOFS_BYTES, budget=budget)
knock_outs = Results(absences, PROOFS_BYTES, budget=budget)
probes_kept = Results(probed, PROOFS_BYTES, budget=budget)
readers_kept = Results(fitted_readers, PROOFS_BYTES, budget=budget)
mean_vectors = Results(in_turn(lambda one: mean_of_sentences(one, SENTENCES), SENTENCES), PROOFS_BYTES, budget=budget)
findings_kept = Results(put_to_trial, FINDINGS_BYTES, budget=budget)
snapshots_kept = Results(snapshots_of, SNAPSHOTS_BYTES, bytes_of_snapshots, budget=budget)
time_lapses = Results(lambda kind, *asked: kind(*asked), MOMENTS_BYTES, budget=budget)
