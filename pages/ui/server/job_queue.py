"""Heavy work takes turns: few jobs run at once for all sessions, the others wait in the order they came, and see where.

A job is heavy where it would keep a processor busy for about a second or more: a sweep over all parts of a run, the
measures over a hundred sentences, a long sentence in a large model. All else never waits behind it.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from encoder.explain.cost import run_flops
from encoder.model.config import EncoderConfig
from encoder.support.progress import pulse
from pages.ui.server.cost_gate import NotStarted
from pages.ui.server.visitor import current

AT_ONCE = max(1, (os.cpu_count() or 1) // 2)  # the other half of the processors is for short runs
MOST_WAITING = 32  # a class, and two more
HEAVY_FLOPS = 40e9  # of one run; about half a second on one processor of 2024
LOOK = 0.25  # seconds between two looks at whether the person still waits


class FullError(RuntimeError):
    """Too many wait already."""


class JobQueue:
    """A queue for so many jobs at once; whoever waits hears how many are before."""

    def __init__(self, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self.at_once, self.most_waiting = at_once, most_waiting
        self.line: list[object] = []  # those at work first
        self.moved = threading.Condition()

    @contextmanager
    def slot(self, tell: Callable[[int], None]) -> Iterator[None]:
        """Wait for a slot and keep it for the block.

        `tell` is called now and then with the number of jobs that are before this one; when it raises, or the block
        does, the place is given up.

        Raises:
            FullError: as many as may wait do so already.
        """
        ticket = object()
        with self.moved:
            waiting = len(self.line) - self.at_once
            if waiting >= self.most_waiting:
                raise FullError(f"{waiting} long computations wait already, and no more than {self.most_waiting} may")
            self.line.append(ticket)
        try:
            while (before := self.before(ticket)) > 0:
                pulse()
                tell(before)
                with self.moved:
                    self.moved.wait_for(lambda: self.before(ticket) < before, LOOK)
            yield
        finally:
            with self.moved:
                self.line.remove(ticket)
                self.moved.notify_all()

    def before(self, ticket: object) -> int:
        """How many jobs must end before this one may start."""
        return self.line.index(ticket) - self.at_once + 1


queue = JobQueue()  # the one of this server


def is_heavy(config: EncoderConfig, n: int, runs: int = 1) -> bool:
    """Whether so many runs of n tokens are to wait for a slot."""
    return flops(config, n, runs) > HEAVY_FLOPS


def flops(config: EncoderConfig, n: int, runs: int = 1) -> float:
    """Floating-point operations of so many runs of n tokens."""
    return runs * run_flops(config, n)


@contextmanager
def unseen() -> Iterator[None]:
    """A slot for who has no page to be told on.

    Raises:
        FullError: too many wait already.
    """
    with queue.slot(lambda before: None):
        yield


@contextmanager
def refused() -> Iterator[None]:
    """Where the block finds the queue full, say so and end the page there; and where it offers a long computation."""
    try:
        yield
    except NotStarted:
        pass
    except FullError as error:
        st.warning(f"{error}. Try again in a moment.")
        st.button("Try again", key="try_again")
        st.stop()


@contextmanager
def slot() -> Iterator[None]:
    """A slot for this session. While others are before, the page says so; any click on the page gives the place up.

    Raises:
        FullError: too many wait already.
    """
    if not current():  # no script of a page runs here
        with unseen():
            yield
        return
    place = st.empty()

    def tell(before: int) -> None:
        jobs = "computation is" if before == 1 else "computations are"
        place.status(f"Waiting: {before} long {jobs} before yours. Anything else you choose gives up the place.")

    with queue.slot(tell):
        place.empty()
        yield
