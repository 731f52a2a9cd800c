"""The models and runs of all sessions: one of each for the whole server, which no message from a browser can empty.

In between it lets go of what nobody has used lately, and of garbage, and gives memory back. Streamlit's own search for
garbage after every run is off (postScriptGC), since it stops all sessions for a tenth of a second each time. What a
page leaves behind goes by itself but for figures, whose parts refer to each other: these are looked for here when
nobody's script runs, or at last after LONGEST seconds.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar

import torch

from encoder import TextEncoder, Trace
from encoder.edits.edit_text import text_to_edits
from encoder.explain.cost import longest, size
from encoder.model.linear import Prepacked
from encoder.pictures.view import View
from encoder.trace.tokens import Text
from pages.ui.server import file_links, jobs, memory, offered_models, visitor
from pages.ui.server.jobs import SPEED, UNASKED
from pages.ui.server.pool import Budget, Key, Pool, Results, borrowing, nbytes

P = ParamSpec("P")
R = TypeVar("R")
RUN_BYTES = 400_000_000  # what one run may hold: longer text is cut
RUN_FLOPS = SPEED * UNASKED  # what one run may compute: longer text is cut

torch.set_num_threads(1)  # of a run, in all threads that use torch after this
_warm = threading.Event()
EVERY = 2.0  # seconds between two looks at what may go
IDLE, SCARCE = 120.0, 10.0  # seconds that models and runs stay unused; where no page is open, or memory is scarce
ROOM = 0.4  # of what a server may take: where less is left, memory is scarce
LONGEST = 10.0  # seconds for which garbage may lie about
_busy = threading.Lock()
_runs = {"now": 0, "since": 0}  # scripts that run now, and that have begun since the last search


class ModelCache(Pool):
    """The models of all sessions by name, bounded in bytes; with a model go its runs."""

    def __init__(self) -> None:
        super().__init__(
            self.load,
            memory.KEPT_MB * 1e6,
            expected=self.expected,
            size=held_by,
            let_go=self.empty,
            stays=lambda key: key == (View().model,),  # everybody begins with it
            one_by_one=True,
            budget=budget,
        )

    def expected(self, name: str) -> int:
        """About what a model will hold; what could never fit is refused before anything is let go of for it."""
        if name not in offered_models.MODELS:
            offered_models.check(name)
            memory.check_room(memory.WHILE_BUILT * offered_models.weights(name), "to load it", spare=budget.held)
        return offered_models.footprint(name)

    def load(self, name: str) -> TextEncoder:
        """Load or draw a model and settle how long its runs may be."""
        offered_models.check(name)
        with jobs.loading.turn():
            if name not in offered_models.MODELS:
                needed = memory.WHILE_BUILT * offered_models.weights(name)
                memory.check_room(needed, "to load it", budget.drop_one)
            encoder = offered_models.make(name)
        encoder.max_tokens = longest(encoder.config, encoder.max_tokens, RUN_BYTES, RUN_FLOPS)
        return encoder

    def empty(self, key: Key, encoder: TextEncoder) -> None:
        """Free the weights, which a page that was left may still refer to."""
        run_cache.forget(key[0])
        for part in encoder.model.modules():
            if isinstance(part, Prepacked):
                part.prepacked = None
        for weights in encoder.model.parameters():
            weights.data = torch.empty(0)


def held_by(encoder: TextEncoder) -> int:
    """The bytes of a model: its weights, and those of them that are there a second time, prepacked."""
    table = encoder.model.embedding.tokens.weight
    weights = {id(parameter): parameter.nbytes for parameter in encoder.model.parameters()}
    packed = [getattr(part, "weight", table) for part in encoder.model.modules() if has_packed(part)]
    return sum(weights.values()) + sum(weight.nbytes for weight in packed)


def has_packed(part: torch.nn.Module) -> bool:
    """Whether a part keeps a prepacked copy of its weight."""
    return isinstance(part, Prepacked) and part.prepacked is not None


def warm() -> None:
    """Start to load the usual model, once in a server's life."""
    if not _warm.is_set():
        _warm.set()
        threading.Thread(target=model_cache.get, args=(View().model,), daemon=True).start()


def text_encoder(name: str) -> TextEncoder:
    """The model of that name, one for all sessions.

    Raises:
        EncoderError: there is no such model here, or it is damaged or too large.
    """
    encoder: TextEncoder = model_cache.get(name)
    return encoder


def is_loaded(name: str) -> bool:
    """Whether that model is at hand."""
    return model_cache.has(name)


def recorded(model: str, sentence: Text, hidden: tuple[int, ...], edits: str) -> Trace:
    """Run the model: one short run for each processor at a time, and long ones in turn."""
    with borrowing():
        encoder, changes = text_encoder(model), text_to_edits(edits)
        patched = {edit.value for edit in changes if isinstance(edit.value, str)}
        with jobs.in_turn(jobs.seconds(encoder.config, len(encoder.tokenize(sentence).ids), 1 + len(patched))):
            return encoder.trace(sentence, hidden=hidden, edits=changes)


def bytes_of_run(model: str, sentence: Text, hidden: tuple[int, ...], edits: str) -> int:
    """About what a run will hold."""
    with borrowing():
        encoder = text_encoder(model)
        return size(encoder.config).bytes_of_a_run(len(encoder.tokenize(sentence).ids))


def run(model: str, sentence: Text, hidden: tuple[int, ...] = (), edits: str = "") -> Trace:
    """The recorded run of a sentence; made when asked for first."""
    trace: Trace = run_cache.get(model, sentence, hidden, edits)
    return trace


def is_kept(model: str, sentence: Text, hidden: tuple[int, ...] = (), edits: str = "") -> bool:
    """Whether that run is at hand."""
    return run_cache.has(model, sentence, hidden, edits)


def let_go_of_run(key: Key, trace: Trace) -> None:
    """Free the recorded numbers; a page that is left, and a file that is fetched late, have them made again."""
    trace.let_go(lambda: run(*key))  # type: ignore[arg-type]


# What models, runs and results hold together; `left` is looked up when asked, as a test puts another in its place
budget = Budget(memory.KEPT_MB * 1e6, lambda: memory.left(), memory.give_back_freed_memory)
model_cache = ModelCache()
run_cache = Pool(
    recorded,
    memory.RUNS_MB * 1e6,
    expected=bytes_of_run,
    size=lambda trace: trace.nbytes,
    let_go=let_go_of_run,
    budget=budget,
)


def kept(most_bytes: float, size: Callable[[Any], int] = nbytes) -> Callable[[Callable[P, R]], Results[P, R]]:
    """Keep what a function returns for all sessions, up to so many bytes and within the budget."""
    return lambda make: Results(make, most_bytes, size, budget)


@contextmanager
def attended() -> Iterator[None]:
    """Around a script: what it asks for is on loan, and long work ends when its visitor leaves."""
    with _busy:
        _runs["now"] += 1
        _runs["since"] += 1
    try:
        with visitor.attended(), borrowing():
            yield
    finally:
        with _busy:
            _runs["now"] -= 1


def drop_idle() -> bool:
    """Let go of models and runs that nobody has used for a while; whether there were any."""
    roomy = memory.left() > ROOM * memory.MOST_MB * 1e6
    seconds = IDLE if visitor.anybody() and roomy else SCARCE
    freed = run_cache.drop_idle(seconds)
    return model_cache.drop_idle(seconds) or freed


def keep_tidy() -> None:
    """Let go of what nobody needs, until the server ends."""
    searched = monotonic()
    while True:
        sleep(EVERY)
        file_links.drop_unseen(visitor.is_here)
        freed = drop_idle()
        if (_runs["since"] and (not _runs["now"] or monotonic() - searched > LONGEST)) or freed:
            _runs["since"] = 0
            gc.collect()
            searched = monotonic()
            memory.give_back_freed_memory()
