"""The scheduler of this server: which work may begin by itself, when its turn comes, and what runs in its own process.

All sessions share it. A short run never waits behind a long one: each kind of work has turns of its own, in the order
it came, and keeps one for a second where others wait. Nothing long begins by itself: it is offered with the time that
it will take; what takes too long is not, and what takes twice as long as may be offered ends. The times are those of
one processor of 2024, on every machine, so that the same is offered everywhere; what else the machine does makes them
longer. What work needs of memory, and that equal questions are answered once, is in `pool.py`.
"""

import math
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

import streamlit as st

from encoder.explain.cost import run_flops
from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError
from encoder.support.progress import besides, pulse
from pages.ui.server.lane import aside
from pages.ui.server.visitor import current, who
from pages.ui.state.session import session

UNASKED = 2.0  # seconds that a page may compute without being asked
MOST = 120.0  # seconds that it computes at all
SPEED = 80e9  # floating-point operations in a second
LAYER_SECONDS = 0.00025  # that a layer takes in a run, however small it is
SHORT = 0.5  # seconds up to which work passes as short
SLICE = 1.0  # seconds for which work keeps its turn while others wait for one
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


def seconds(config: EncoderConfig, n: int, runs: float = 1, calls: float | None = None) -> float:
    """About how long so many runs of n tokens take, of which several pass in one of so many calls; else one in each."""
    layers = config.n_layers * (runs if calls is None else calls)
    return runs * run_flops(config, n) / SPEED + layers * LAYER_SECONDS


# When its turn comes


class FullError(RuntimeError):
    """Too many wait already."""


class TooLongError(EncoderError):
    """It was given the time that it may have, and did not come to its end."""


def in_silence(before: int) -> None:
    """Tell nobody how many are before."""


@dataclass(eq=False)
class Ticket:
    """A place in a line, the visitor whose it is, since when it has its turn, and the seconds that it had before."""

    who: str
    since: float = 0.0
    had: float = 0.0


class Turns:
    """Work of one kind, so many jobs at once; the others wait, and hear how many are before.

    Visitors take turns: the second job of one stands behind the first of every other. Jobs of one keep their order.

    Who leaves while waiting, or during the work, gives the place up. A job within one of the same kind is part of it,
    and a `small` one within any. Who waits keeps nobody out elsewhere: he stands aside in the lane of short work, and
    where the work is `long`, also while it is done, and has no turn of small work meanwhile.

    Args:
        at_once: how many jobs may work.
        most_waiting: how many may wait besides.
        most_of_one: how many of one visitor.
        long: whether such work stands aside in the lane while it is done.
        small: whether such work is part of any other that it is done in.
        slice_: seconds after which a job that is at a pulse lets those who wait go first.
        most_seconds: that a job may work, without those in which it waits.
    """

    def __init__(
        self,
        at_once: int = 1,
        most_waiting: float = math.inf,
        most_of_one: float = math.inf,
        *,
        long: bool = False,
        small: bool = False,
        slice_: float = math.inf,
        most_seconds: float = math.inf,
    ) -> None:
        self.at_once, self.most_waiting, self.most_of_one = at_once, most_waiting, most_of_one
        self.long, self.small, self.slice, self.most_seconds = long, small, slice_, most_seconds
        self.line: list[Ticket] = []  # those at work first
        self.moved = threading.Condition()

    @contextmanager
    def turn(self, tell: Callable[[int], None] = in_silence) -> Iterator[None]:
        """Wait for a turn and keep it for the block.

        `tell` is called now and then with the number of jobs that are before this one, at last 0, where there are any;
        when it raises, or the block does, the place is given up.

        Raises:
            FullError: as many as may wait do so already, or as many of this visitor.
            TooLongError: the block has had most_seconds.
        """
        had = _at_work.get()
        if self in had or (self.small and had):
            yield
            return
        ticket = self.stand()
        try:
            with ExitStack() as meanwhile:
                if self.long:
                    meanwhile.enter_context(aside())
                    for turns, other in had.items():
                        if turns.small:
                            meanwhile.enter_context(turns.left(other))
                self.wait(ticket, tell)
                others = _at_work.set({**had, self: ticket})
                try:
                    with besides(partial(self.give_way, ticket, tell)):
                        yield
                finally:
                    _at_work.reset(others)
        finally:
            with self.moved:
                self.line.remove(ticket)
                self.moved.notify_all()

    @contextmanager
    def left(self, ticket: Ticket) -> Iterator[None]:
        """For the block, give a turn up, and wait for it again after."""
        with self.moved:
            self.line.remove(ticket)
            self.moved.notify_all()
        try:
            yield
        finally:
            with self.moved:
                self.line.insert(self.place(self.count(ticket.who)), ticket)
            self.wait(ticket, in_silence)

    def stand(self) -> Ticket:
        """Take a place in the line.

        Raises:
            FullError: as many as may wait do so already, or as many of this visitor.
        """
        ticket = Ticket(who())
        with self.moved:
            waiting, own = len(self.line) - self.at_once, self.count(ticket.who)
            if waiting >= self.most_waiting:
                raise FullError(f"{waiting} long computations wait already, and no more than {self.most_waiting} may")
            if ticket.who and own > self.most_of_one:
                raise FullError(f"{own} long computations were asked for from your network, and no more may wait")
            self.line.insert(self.place(own), ticket)
        return ticket

    def wait(self, ticket: Ticket, tell: Callable[[int], None]) -> None:
        """Wait until it is the turn of who stands there."""
        heard = False
        while (before := self.before(ticket)) > 0:
            pulse()
            tell(before)
            heard = True
            with aside(), self.moved:
                self.moved.wait_for(lambda: self.before(ticket) < before, LOOK)
        if heard:
            tell(0)
        ticket.since = monotonic()

    def give_way(self, ticket: Ticket, tell: Callable[[int], None]) -> None:
        """Let those who wait go first, where this job has had its turn for a while.

        Raises:
            TooLongError: it has had as long as it may.
        """
        if ticket not in self.line:
            return  # it does other work meanwhile
        now = monotonic() - ticket.since
        if ticket.had + now > self.most_seconds:
            raise TooLongError(f"it took longer than it may here, {self.most_seconds:,.0f} seconds")
        with self.moved:
            if now < self.slice or len(self.line) <= self.at_once:
                return
            self.line.remove(ticket)
            self.line.insert(self.place(self.count(ticket.who)), ticket)
            self.moved.notify_all()
        ticket.had += now
        self.wait(ticket, tell)

    def count(self, visitor: str) -> int:
        """How many jobs of a visitor stand in the line."""
        return sum(other.who == visitor for other in self.line)

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


NOTHING: Mapping[Turns, Ticket] = {}
_at_work: ContextVar[Mapping[Turns, Ticket]] = ContextVar("at_work", default=NOTHING)  # what this thread has a turn of
processors = os.cpu_count() or 1
# Heavy is what keeps a processor busy for longer than SHORT: a sweep over all parts of a run, the measures over a
# hundred sentences, a long sentence in a large model. Half of the processors are left to short runs; a class may wait,
# and two more.
heavy = Turns(max(1, processors // 2), 32, 24, long=True, slice_=SLICE, most_seconds=2 * MOST)
short = Turns(processors, small=True, slice_=SLICE)  # one short run for each processor
loading = Turns(long=True)  # of models
trying = Turns(long=True)  # trials: each may hold several runs
exporting = Turns(long=True)  # large files
training = Turns(most_waiting=8)  # processes that train


@contextmanager
def in_turn(seconds: float = math.inf) -> Iterator[None]:
    """A turn of work that takes so many seconds. While others are before long work, the page says so.

    Raises:
        FullError: too many wait already.
        TooLongError: it took longer than it may.
    """
    turns = heavy if seconds > SHORT else short
    if turns is short or not current():  # no script of a page runs here
        with turns.turn():
            yield
        return
    place = st.empty()

    def tell(before: int) -> None:
        if not before:
            place.empty()
            return
        jobs = "computation is" if before == 1 else "computations are"
        place.status(f"Waiting: {before} long {jobs} before yours. Anything else you choose gives up the place.")

    with turns.turn(tell):
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
