"""Live training: a process of its own for each run, one at a time, and ended when nobody looks.

A run is known by its settings, so those who ask for the same one watch the same one. The process ends by itself when
the server does: it waits for the end of its input.
"""

import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from time import monotonic, sleep

from encoder.tasks.learning import LearningMoment, read_moment
from encoder.tasks.models import recorded
from encoder.tasks.settings import LearnSettings
from pages.ui.server import memory
from pages.ui.server.job_queue import FullError, JobQueue

ROOT = Path(__file__).parents[3]
LOOK = 0.25  # seconds between two looks at a run
GRACE = 15.0  # seconds that a run goes on when no page looks at it: one that is loaded anew finds it
MOST_SECONDS = 300.0  # of one run
MOST_MB = 1500.0  # of its process; the libraries alone take about 400
AT_ONCE, MOST_WAITING = 1, 8  # runs; nothing else waits behind them
MOST_KEPT = 16  # finished runs, a few megabytes each
TOO_SLOW = "It took longer than a run may here"
TOO_LARGE = "It took more memory than a run may here"
STOPPED = "It was stopped"
LEFT = "It ended when nobody looked at it any more"
KILLED = "The process that trained was ended from outside"
FULL = f"{MOST_WAITING} runs wait here already, and no more may; what was recorded plays at once"


class EndedError(Exception):
    """A run is over before its last step; the sentence says why."""


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
            with slots.slot(self.wait):
                self.before = 0
                self.train()
        except FullError:
            self.ended = f"{FULL}."
        except (EndedError, OSError) as error:
            self.ended = f"{error}."

    def train(self) -> None:
        """Run the process to its end, or end it."""
        command = [sys.executable, "-m", "encoder.tasks", str(self.settings), "--attended"]
        quiet = dict(os.environ) | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        self.begun = monotonic()
        process = subprocess.Popen(
            command, cwd=ROOT, env=quiet, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.process = process
        reader = threading.Thread(target=self.read, args=(process,), daemon=True)
        reader.start()
        try:
            while process.poll() is None:
                self.check()
                if monotonic() - self.begun > MOST_SECONDS:
                    raise EndedError(f"{TOO_SLOW}, {MOST_SECONDS:,.0f} seconds")
                if megabytes(process.pid) > MOST_MB:
                    raise EndedError(f"{TOO_LARGE}, {MOST_MB:,.0f} MB")
                sleep(LOOK)
        finally:
            process.kill()
            process.wait()
            reader.join()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()
        if not self.whole and not self.ended:
            raise EndedError(KILLED)

    def read(self, process: "subprocess.Popen[bytes]") -> None:
        """Take over each moment as it comes."""
        assert process.stdout is not None
        for line in process.stdout:
            try:
                if line.startswith(b'{"error"'):
                    said = str(json.loads(line)["error"]).rstrip(".")
                    self.ended = f"It ended {said}."
                else:
                    self.moments.append(read_moment(line.decode("ascii")))
            except ValueError:
                return  # the process was killed within a line


def megabytes(process: int) -> float:
    """What a process holds; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class LiveRuns:
    """The runs of this server by their settings; the oldest finished ones go first."""

    def __init__(self) -> None:
        self.runs: OrderedDict[LearnSettings, LiveRun] = OrderedDict()
        self.lock = threading.Lock()

    def begin(self, settings: LearnSettings) -> None:
        """Train with these settings, unless that is done already or goes on now."""
        with self.lock:
            found = self.runs.get(settings)
            if found is not None and (found.goes_on or found.whole):
                found.seen = monotonic()
                return
            run = self.runs[settings] = LiveRun(settings)
            self.runs.move_to_end(settings)
            done = [one for one, kept in self.runs.items() if not kept.goes_on]
            for one in done[: max(0, len(self.runs) - MOST_KEPT)]:
                del self.runs[one]
        threading.Thread(target=run.work, daemon=True, name="training").start()

    def look(self, settings: LearnSettings) -> LiveRun | None:
        """The run of these settings, which somebody looks at now."""
        found = self.runs.get(settings)
        if found is not None:
            found.seen = monotonic()
        return found

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
        found = self.runs.get(settings)
        return recorded(settings) or (tuple(found.moments) if found is not None and found.whole else ())


slots = JobQueue(AT_ONCE, MOST_WAITING)  # the processes that train on this server
live = LiveRuns()  # those of this server
