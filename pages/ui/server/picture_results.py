"""What pictures measure, kept for all sessions: what a run says with that run, what a model says under its name."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from encoder.pictures.expression import Call, Expression, of_files, of_result, of_runs
from encoder.pictures.more.heads_page import EXAM
from encoder.pictures.registry.grammar_pictures import MOMENTS
from encoder.pictures.scene import Scene
from encoder.trace.trace import Trace
from pages.ui.server import exams, jobs, measurements
from pages.ui.server.engine import budget
from pages.ui.server.pool import Results, nbytes

SMALL = 200_000  # bytes of what is kept with a run
RESULTS_BYTES = 50_000_000


@dataclass(frozen=True)
class Measurement:
    """A call that no run stands in, of a model by its name; two of the same print are the same.

    `now` makes it, once: it knows of a run and a model, which would stay as long as the result that is kept under this.
    """

    model: str
    printed: str
    now: list[Callable[[], Any]]

    def __eq__(self, other: object) -> bool:
        """Whether it is the same call of the same model."""
        return isinstance(other, Measurement) and (self.model, self.printed) == (other.model, other.printed)

    def __hash__(self) -> int:
        """By model and print."""
        return hash((self.model, self.printed))


def measure(asked_for: Measurement) -> Any:
    """Make the call now."""
    token = nested.set(True)
    try:
        with jobs.short.turn():
            return asked_for.now.pop()()
    finally:
        nested.reset(token)


# What this server keeps of a model in its own way -> what gives it
OF_SERVER: dict[Expression, Callable[[str], Any]] = {MOMENTS: measurements.snapshots, EXAM: exams.examined}
nested: ContextVar[bool] = ContextVar("nested", default=False)
results = Results(measure, RESULTS_BYTES, budget=budget)
of_run: WeakKeyDictionary[Trace, dict[str, Any]] = WeakKeyDictionary()
of_run_lock = threading.Lock()


def is_at_hand(scene: Scene, part: Expression) -> bool:
    """Return whether a call that no run stands in was made already."""
    return not of_runs(part) and results.has(Measurement(scene.view.model, str(part), []))


def kept(scene: Scene) -> Callable[[Expression, Callable[[], Any]], Any]:
    """What keeps the results of calls: those of one run with the run where they are small, those of none for all."""

    def keep_call(part: Expression, now: Callable[[], Any]) -> Any:
        if part in OF_SERVER:
            return OF_SERVER[part](scene.view.model)
        if nested.get() or of_files(part) or (isinstance(part, Call) and of_result(part)):
            return now()
        if not of_runs(part):
            return results.get(Measurement(scene.view.model, str(part), [now]))
        if scene.run is None or scene.other is not None:
            return now()
        with of_run_lock:
            known = of_run.setdefault(scene.run, {})
        if str(part) not in known:
            value = now()
            if nbytes(value) > SMALL:
                return value
            known[str(part)] = value
        return known[str(part)]

    return keep_call
