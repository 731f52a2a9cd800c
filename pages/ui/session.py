"""The only caching: models by name, and runs by what they were asked."""

import gc
import os
import threading
from dataclasses import dataclass
from typing import Any

import cachetools
import streamlit as st
import torch

from encoder import PRESETS, TextEncoder, Trace, labs
from encoder.allocator import keep_freed_memory
from encoder.edit_text import text_to_edits
from encoder.figures.theme import short
from encoder.metrics import SENTENCES, Survey, nearest_words, unit_words
from encoder.metrics import survey as measure
from encoder.proof import Check, checks
from pages.ui.state import current

RUNS_BYTES = 800_000_000  # what all kept runs together may hold


@dataclass(frozen=True)
class Offer:
    """A model that the app offers, and a layer and head of it that are worth a first look.

    `preset` names the shape of an untrained model, `twin` the trained model whose shape and tokenizer it shares.
    """

    label: str
    preset: str = ""
    twin: str = ""
    layer: int = 0
    head: int = 0


MODELS = {
    "base": Offer("base: trained, the paper's size", layer=4, head=1),
    "small": Offer("small: trained, 4 layers of 128", layer=0, head=2),
    "base-untrained": Offer("base, but untrained", twin="base", layer=4, head=1),
    "paper": Offer("untrained, the paper's size", "paper"),
    "pre-norm": Offer("untrained, pre-norm", "pre-norm"),
    "eight-blocks": Offer("untrained, 8 blocks", "eight-blocks"),
    "guide": Offer("untrained, final norm and std_norm", "guide"),
}


@st.cache_resource(max_entries=4, show_spinner="Loading the model …")
def text_encoder(name: str) -> TextEncoder:
    """The model of that name, one for all sessions."""
    torch.set_num_threads(1)
    keep_freed_memory()
    offer = MODELS[name]
    if offer.twin:
        twin = text_encoder(offer.twin)
        loaded = TextEncoder.from_config(twin.config, tokenizer=twin.tokenizer, name=name)
    elif offer.preset:
        loaded = TextEncoder.from_config(PRESETS[offer.preset], name=name)
    else:
        loaded = TextEncoder.from_pretrained(name)
    gc.collect()
    gc.freeze()  # Streamlit collects garbage after every rerun; torch's half a million objects need not be looked at
    return loaded


class Runs:
    """Runs of all sessions by what was asked for, bounded in bytes; the same run is never made twice at once."""

    def __init__(self) -> None:
        self.made = 0
        self.kept: cachetools.LRUCache[tuple[object, ...], Trace] = cachetools.LRUCache(
            maxsize=RUNS_BYTES, getsizeof=lambda trace: trace.nbytes
        )
        self.seats = threading.Semaphore(os.cpu_count() or 1)
        self.get = cachetools.cached(self.kept, condition=threading.Condition())(self.make)

    def make(self, model: str, sentence: str, hidden: tuple[int, ...], edits: str) -> Trace:
        """Run the model; at most one run per processor at a time."""
        with self.seats:
            torch.set_num_threads(1)
            self.made += 1
            return text_encoder(model).trace(sentence, hidden=hidden, edits=text_to_edits(edits))


@st.cache_resource(show_spinner=False)
def runs() -> Runs:
    """The one store of runs."""
    return Runs()


def run(model: str, sentence: str, hidden: tuple[int, ...] = (), edits: str = "") -> Trace:
    """The recorded run of a sentence; made when asked for first."""
    return runs().get(model, sentence, hidden, edits)


@st.cache_data(max_entries=512, show_spinner=False)
def proofs(model: str, sentence: str, hidden: tuple[int, ...], edits: str, step: str) -> list[Check]:
    """The proofs of one step of a run."""
    trace = run(model, sentence, hidden, edits)
    return checks(text_encoder(model).model, trace, trace.step(step))


def proof(step: str) -> list[Check]:
    """The proofs of one step of the run that this session looks at."""
    view = current()
    return proofs(view.model, st.session_state["read"], view.hidden, view.edits, step)


@st.cache_resource(max_entries=64, show_spinner="Measuring …")
def surveys(model: str, sentence: str | None) -> Survey:
    """Measures of a model over one sentence, or over the bundled hundred."""
    return measure(text_encoder(model), SENTENCES if sentence is None else [sentence])


def survey(sentence: str | None) -> Survey:
    """Measures of the model that this session looks at; None stands for the bundled sentences."""
    return surveys(current().model, sentence)


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


@st.cache_resource(max_entries=64, show_spinner="Measuring …")
def lab(name: str, model: str = "", text: str = "") -> Any:
    """The result of an experiment that depends on nothing but its own defaults, or on a model and a sentence."""
    experiment = getattr(labs, name)
    return experiment(text_encoder(model), text) if model else experiment()


def untouched() -> Trace:
    """The same run without edits."""
    view = current()
    return run(view.model, st.session_state["read"], view.hidden)
