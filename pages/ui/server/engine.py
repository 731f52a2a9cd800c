"""The models and runs of all sessions."""

import os
import threading

import cachetools
import streamlit as st
import torch

from encoder import TextEncoder, Trace
from encoder.edits.text import text_to_edits
from encoder.explain.cost import longest, size
from encoder.trace.tokens import Text
from pages.ui.server import job_queue, models
from pages.ui.server.cache import Results
from pages.ui.server.heap import give_back_freed_memory
from pages.ui.state.view import View

RUNS_BYTES = 400_000_000  # what all kept runs together may hold: about 80 of a dozen tokens in base
RUN_BYTES = 400_000_000  # what one run may hold: longer text is cut
MODELS_BYTES = 2_500_000_000  # what the weights of all kept models may hold; their layouts take as much again
TIDY = 10  # runs after which freed memory goes back to the system


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
    heavy = job_queue.is_heavy(encoder.config, len(encoder.tokenize(sentence).ids), 1 + len(patched))
    if runs().made % TIDY == 0:
        give_back_freed_memory()
    with job_queue.turn() if heavy else seats():
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
