"""The scheduler of this server: which work may begin by itself, when its turn comes, and what runs in its own process.

All sessions share it. A short run never waits behind a long one: each kind of work has turns of its own, in the order
it came. Nothing long begins by itself: it is offered with the time that it will take; what takes too long is not. The
times are those of one processor of 2024; what else the machine does makes them longer. What work needs of memory, and
that equal questions are answered once, is in `pool.py`.
"""

import math
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import streamlit as st

from encoder.explain.cost import run_flops
from encoder.model.config import EncoderConfig
from encoder.support.progress import pulse
from pages.ui.server.lane import aside
from pages.ui.server.visitor import current, who
from pages.ui.state.session import session

UNASKED = 2.0  # seconds that a page may compute without being asked
MOST = 120.0  # seconds that it computes at all
SPEED = 80e9  # floating-point operations in a second
HEAVY_FLOPS = 40e9  # of one run; about half a second on one processor of 2024
LOOK = 0.25  # seconds between two looks at whether the person still waits, and at a process
MOST_SECONDS = 300.0  # of a process
MOST_MB = 1500.0  # of a process; torch alone takes about 400
KILLED = "The process was ended from outside"
ROOT = Path(__file__).parents[3]


# What may begin


class NotStarted(Exception):  # noqa: N818 - no error: the page ends where the offer stands
    """A long computation was offered and not chosen yet, or is too long to be offered."""


def ask(key: str, seconds: float, doing: str = "Measure") -> None:
    """Return where a computation is short, or was asked for by a click just now; else offer it.

    Args:
        key: of the button; the same as long as the same computation is meant.
        seconds: that it will take about.
        doing: what the button says.

    Raises:
        NotStarted: it was offered, or refused with a sentence.
    """
    if seconds <= UNASKED:
        return
    asked = session().asked_for
    if key in asked:
        asked.discard(key)  # if it is given up on the way, it is offered again
        return
    if seconds > MOST:
        st.markdown(
            f"This would take {spoken(seconds)} here; a page computes for {spoken(MOST)} at most. The library has no "
            "such bound."
        )
    else:
        st.button(f"{doing} ({spoken(seconds)})", key=f"ask_{key}", on_click=asked.add, args=(key,))
    raise NotStarted


def spoken(seconds: float) -> str:
    """A time in words: "about 40 seconds"."""
    if seconds > 5400:
        return f"about {seconds / 3600:,.0f} hours"
    if seconds > 90:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {max(1, math.ceil(seconds)):.0f} second{'s' if seconds > 1 else ''}"


def flops(config: EncoderConfig, n: int, runs: int = 1) -> float:
    """Floating-point operations of so many runs of n tokens."""
    return runs * run_flops(config, n)


def is_heavy(config: EncoderConfig, n: int, runs: int = 1) -> bool:
    """Whether so many runs of n tokens are to wait for a turn of heavy work."""
    return flops(config, n, runs) > HEAVY_FLOPS


# When its turn comes


class FullError(RuntimeError):
    """Too many wait already."""


def in_silence(before: int) -> None:
    """Tell nobody how many are before."""


@dataclass(eq=False)
class Ticket:
    """A place in a line, and the visitor whose it is."""

    who: str


class Turns:
    """Work of one kind, so many jobs at once; the others wait, and hear how many are before.

    Visitors take turns: the second job of one stands behind the first of every other. Jobs of one keep their order.

    Who leaves while waiting, or during the work, gives the place up. A job within one of the same kind is part of it.
    Who waits stands aside in the lane of short work; where the work is `long`, also while it is done.
    """

    def __init__(
        self, at_once: int = 1, most_waiting: float = math.inf, most_of_one: float = math.inf, *, long: bool = False
    ) -> None:
        self.at_once, self.most_waiting, self.most_of_one, self.long = at_once, most_waiting, most_of_one, long
        self.line: list[Ticket] = []  # those at work first
        self.moved = threading.Condition()

    @contextmanager
    def turn(self, tell: Callable[[int], None] = in_silence) -> Iterator[None]:
        """Wait for a turn and keep it for the block.

        `tell` is called now and then with the number of jobs that are before this one; when it raises, or the block
        does, the place is given up.

        Raises:
            FullError: as many as may wait do so already, or as many of this visitor.
        """
        if self in _at_work.get():
            yield
            return
        ticket = Ticket(who())
        with self.moved:
            waiting, own = len(self.line) - self.at_once, sum(other.who == ticket.who for other in self.line)
            if waiting >= self.most_waiting:
                raise FullError(f"{waiting} long computations wait already, and no more than {self.most_waiting} may")
            if ticket.who and own > self.most_of_one:
                raise FullError(f"{own} long computations were asked for from your network, and no more may wait")
            self.line.insert(self.place(own), ticket)
        try:
            with aside() if self.long else nullcontext():
                while (before := self.before(ticket)) > 0:
                    pulse()
                    tell(before)
                    with aside(), self.moved:
                        self.moved.wait_for(lambda: self.before(ticket) < before, LOOK)
                others = _at_work.set(_at_work.get() | {self})
                try:
                    yield
                finally:
                    _at_work.reset(others)
        finally:
            with self.moved:
                self.line.remove(ticket)
                self.moved.notify_all()

    def place(self, own: int) -> int:
        """Return where the next job stands of a visitor who has so many: before the first of who has more before it."""
        counts = Counter[str]()
        for at, other in enumerate(self.line):
            if at >= self.at_once and counts[other.who] > own:
                return at
            counts[other.who] += 1
        return len(self.line)

    def before(self, ticket: Ticket) -> int:
        """How many jobs must end before this one may start."""
        return self.line.index(ticket) - self.at_once + 1


_at_work: ContextVar[frozenset[Turns]] = ContextVar("at_work", default=frozenset())  # what this thread has a turn of
processors = os.cpu_count() or 1
# Heavy is what keeps a processor busy for about a second or more: a sweep over all parts of a run, the measures over a
# hundred sentences, a long sentence in a large model. Half of the processors are left to short runs; a class may wait,
# and two more.
heavy = Turns(max(1, processors // 2), 32, 24, long=True)
short = Turns(processors)  # one short run for each processor
loading = Turns(long=True)  # of models
trying = Turns()  # trials: each may hold several runs
exporting = Turns(long=True)  # large files
training = Turns(most_waiting=8)  # processes that train


@contextmanager
def in_turn() -> Iterator[None]:
    """A turn of heavy work for this session. While others are before, the page says so; any click gives it up.

    Raises:
        FullError: too many wait already.
    """
    if not current():  # no script of a page runs here
        with heavy.turn():
            yield
        return
    place = st.empty()

    def tell(before: int) -> None:
        jobs = "computation is" if before == 1 else "computations are"
        place.status(f"Waiting: {before} long {jobs} before yours. Anything else you choose gives up the place.")

    with heavy.turn(tell):
        place.empty()
        yield


@contextmanager
def with_bar(words: str) -> Iterator[Callable[[float, str], None]]:
    """A turn of heavy work with a bar on the page: give what moves it, and ends the work where the visitor has left."""
    with in_turn():
        bar = st.progress(0.0, words)

        def advance(share: float, words: str) -> None:
            pulse()
            bar.progress(share, words)

        yield advance
        bar.empty()


@contextmanager
def refused() -> Iterator[None]:
    """Where too many wait in the block, say so and end the page there; and where it offers a long computation."""
    try:
        yield
    except NotStarted:
        pass
    except FullError as error:
        st.warning(f"{error}. Try again in a moment.")
        st.button("Try again", key="try_again")
        st.stop()


# What runs in a process of its own, so that it never holds the interpreter of all sessions


class EndedError(Exception):
    """The work is over before its end; the sentence, without its full stop, says why."""


def watched(
    module: str,
    arguments: Sequence[str],
    take: Callable[[str], None],
    check: Callable[[], None],
    started: Callable[["subprocess.Popen[bytes]"], None] = lambda process: None,
) -> None:
    """Run `python -m module` with the arguments to its end.

    `take` gets each line that it prints, in a thread of its own. `check` is called a few times a second; what it
    raises ends the process; what that has started ends with its input, and so it does when the server ends
    (`encoder.support.command_line`).

    Raises:
        EndedError: it took too long or too much memory, or did not come to its end.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=dict(os.environ) | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    started(process)
    reader = threading.Thread(target=read, args=(process, take), daemon=True)
    reader.start()
    try:
        look_after(process, check)
    finally:
        process.kill()
        process.wait()
        reader.join()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
    if process.returncode:
        raise EndedError(KILLED)


def look_after(process: "subprocess.Popen[bytes]", check: Callable[[], None]) -> None:
    """Wait for its end, or for a reason to end it."""
    begun = monotonic()
    while True:
        check()
        if monotonic() - begun > MOST_SECONDS:
            raise EndedError(f"It took longer than it may here, {MOST_SECONDS:,.0f} seconds")
        if megabytes(process.pid) > MOST_MB:
            raise EndedError(f"It took more memory than it may here, {MOST_MB:,.0f} MB")
        try:
            process.wait(LOOK)
            return
        except subprocess.TimeoutExpired:
            continue


def read(process: "subprocess.Popen[bytes]", take: Callable[[str], None]) -> None:
    """Take over each line as it comes."""
    assert process.stdout is not None
    for line in process.stdout:
        try:
            take(line.decode("ascii"))
        except ValueError:
            return  # the process was killed within a line


def megabytes(process: int) -> float:
    """What a process holds; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
