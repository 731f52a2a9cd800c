"""Live training: a process of its own for each run, one at a time, and ended when nobody looks.

A run is known by its settings, so those who ask for the same one watch the same one. The process ends by itself when
the server does: it waits for the end of its input.
"""

import json
import os
import subprocess
import threading
from collections import OrderedDict
from time import monotonic

from encoder.tasks.models import recorded
from encoder.tasks.settings import LearnSettings
from encoder.tasks.task_training import LearningMoment, read_moment
from pages.ui.server import jobs, memory
from pages.ui.server.jobs import KILLED, MOST_SECONDS, EndedError, FullError, watched

GRACE = 15.0  # seconds that a run goes on when no page looks at it: one that is loaded anew finds it
MOST_KEPT = 16  # finished runs, a few megabytes each
STOPPED = "It was stopped"
LEFT = "It ended when nobody looked at it any more"
FULL = f"{jobs.training.most_waiting} runs wait here already, and no more may; what was recorded plays at once"


def is_on() -> bool:
    """Whether this server trains: ENCODER_TRAINING is not "off"."""
    return os.environ.get("ENCODER_TRAINING", "on").strip().lower() not in memory.OFF


class LiveRun:
    """One run: the moments so far, how many wait before it, and why it ended, empty while it goes on."""

    def __init__(self, settings: LearnSettings) -> None:
        self.settings = settings
        self.moments: list[LearningMoment] = []
        self.before = 0
        self.ended = ""
        self.stopping = False
        self.seen = monotonic()
        self.process: subprocess.Popen[bytes] | None = None
        self.begun = 0.0

    @property
    def left(self) -> float | None:
        """About how many seconds it will train yet; None as long as nothing is known of how fast it is."""
        if not self.moments or not (done := self.moments[-1].step):
            return None
        return min(MOST_SECONDS, (monotonic() - self.begun) * (self.settings.steps - done) / done)

    @property
    def whole(self) -> bool:
        """Whether it came to its last step."""
        return bool(self.moments) and self.moments[-1].step == self.settings.steps

    @property
    def goes_on(self) -> bool:
        """Whether it waits or trains."""
        return not self.ended and not self.whole

    def check(self) -> None:
        """Raise EndedError where it is to end."""
        if self.stopping:
            raise EndedError(STOPPED)
        if monotonic() - self.seen > GRACE:
            raise EndedError(LEFT)

    def wait(self, before: int) -> None:
        """Note the place in the queue, as long as somebody waits."""
        self.before = before
        self.check()

    def work(self) -> None:
        """Wait for a slot and train; what ends it early is kept as a sentence."""
        try:
            with jobs.training.turn(self.wait):
                self.before = 0
                self.train()
        except FullError:
            self.ended = f"{FULL}."
        except (EndedError, OSError) as error:
            self.ended = f"{error}."

    def train(self) -> None:
        """Run the process to its end, or end it."""
        self.begun = monotonic()
        try:
            watched("encoder.tasks", [str(self.settings), "--attended"], self.take, self.check, self.note)
        except EndedError:
            if not self.ended:  # by its own sentence
                raise
        if not self.whole and not self.ended:
            raise EndedError(KILLED)

    def note(self, process: "subprocess.Popen[bytes]") -> None:
        """Note the process that trains."""
        self.process = process

    def take(self, line: str) -> None:
        """Take over a moment, or why there are no more."""
        if line.startswith('{"error"'):
            said = str(json.loads(line)["error"]).rstrip(".")
            self.ended = f"It ended {said}."
        else:
            self.moments.append(read_moment(line))


class LiveRuns:
    """The runs of this server by their settings; the oldest finished ones go first."""

    def __init__(self) -> None:
        self.runs: OrderedDict[LearnSettings, LiveRun] = OrderedDict()
        self.lock = threading.Lock()

    def begin(self, settings: LearnSettings) -> None:
        """Train with these settings, unless that is done already or goes on now."""
        with self.lock:
            started_run = self.runs.get(settings)
            if started_run is not None and (started_run.goes_on or started_run.whole):
                started_run.seen = monotonic()
                return
            run = self.runs[settings] = LiveRun(settings)
            self.runs.move_to_end(settings)
            done = [key for key, kept in self.runs.items() if not kept.goes_on]
            for key in done[: max(0, len(self.runs) - MOST_KEPT)]:
                del self.runs[key]
        threading.Thread(target=run.work, daemon=True, name="training").start()

    def look(self, settings: LearnSettings) -> LiveRun | None:
        """The run of these settings, which somebody looks at now."""
        run = self.runs.get(settings)
        if run is not None:
            run.seen = monotonic()
        return run

    def ahead(self, settings: LearnSettings) -> list[LiveRun]:
        """The runs that train before this one or wait in front of it, the one at work first."""
        going = [run for run in list(self.runs.values()) if run.goes_on]
        asked = next((i for i, run in enumerate(going) if run.settings == settings), 0)
        return going[:asked]

    def stop(self, settings: LearnSettings) -> None:
        """End a run."""
        if (found := self.runs.get(settings)) is not None:
            found.stopping = True

    def moments(self, settings: LearnSettings) -> tuple[LearningMoment, ...]:
        """The moments of a whole run: a recorded one, or one that was trained here; empty where there is none."""
        run = self.runs.get(settings)
        return recorded(settings) or (tuple(run.moments) if run is not None and run.whole else ())


live = LiveRuns()  # those of this server
