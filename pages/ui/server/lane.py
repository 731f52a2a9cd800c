"""Work that visitors wait for: so much at once, by visitor in turn; what must wait itself gives up its place."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple

from encoder.support.progress import listening
from pages.ui.server.visitor import working_for


class Coming(Future[Any]):
    """What will be made. Who cancels it takes it back, where it has not begun; else it ends at its next pulse."""

    unwanted = False

    def cancel(self) -> bool:
        """Want it no more; returns whether it had not begun."""
        self.unwanted = True
        return super().cancel()

    def end_if_unwanted(self) -> None:
        """End the work here where nobody wants it."""
        if self.unwanted:
            raise CancelledError


class Job(NamedTuple):
    """What is to be made, and who hears of it."""

    visitor: str
    coming: Coming
    make: Callable[..., Any]
    given: tuple[object, ...]


class Lane:
    """Threads that make so many things at once.

    A visitor's next job begins when those of the others who wait have each begun one. A job that waits for something
    else, or works where long work does, counts as none: see `aside`.

    Args:
        name: of the threads.
        at_once: how many jobs may work.
        most: how many may have begun, those included that wait.
    """

    def __init__(self, name: str, at_once: int, most: int) -> None:
        self.free, self.lock = at_once, threading.Lock()
        self.queues: dict[str, deque[Job]] = {}  # by visitor, who is next first
        self.threads = ThreadPoolExecutor(most, thread_name_prefix=name)

    def begin(self, visitor: str, make: Callable[..., Any], *given: object) -> Coming:
        """Have something made."""
        job = Job(visitor, Coming(), make, given)
        with self.lock:
            self.queues.setdefault(visitor, deque()).append(job)
        self.go_on(0)
        return job.coming

    def go_on(self, freed: int) -> None:
        """Begin as many jobs as there are places, of which so many became free; who comes back takes one even so."""
        with self.lock:
            self.free += freed
            while self.free > 0 and self.queues:
                visitor, queue = next(iter(self.queues.items()))
                job = queue.popleft()
                del self.queues[visitor]
                if queue:
                    self.queues[visitor] = queue  # behind the others
                if job.coming.set_running_or_notify_cancel():
                    self.free -= 1
                    self.threads.submit(self.work, job)

    def work(self, job: Job) -> None:
        """Do a job in its place."""
        token = _lane.set(self)
        tell: Callable[[], None]
        try:
            with working_for(job.visitor), listening(job.coming.end_if_unwanted):
                tell = partial(job.coming.set_result, job.make(*job.given))
        except BaseException as error:
            tell = partial(job.coming.set_exception, error)
        _lane.reset(token)
        self.go_on(1)
        tell()


_lane: ContextVar[Lane | None] = ContextVar("lane", default=None)  # in which this thread has a place


@contextmanager
def aside() -> Iterator[None]:
    """For the block, let the next begin in this thread's place, if it has one in a lane."""
    lane = _lane.get()
    if lane is None:
        yield
        return
    token = _lane.set(None)
    lane.go_on(1)
    try:
        yield
    finally:
        _lane.reset(token)
        lane.go_on(-1)
