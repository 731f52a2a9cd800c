"""Long work: points at which whoever asked for it may end it, and how far it is.

The library calls `pulse` between two runs of a model and between two parts of a long measure. It does nothing unless
somebody listens; what a listener raises ends the computation there. A notebook and a terminal show one bar.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import current_thread, main_thread

_listener: ContextVar[Callable[[], None] | None] = ContextVar("listener", default=None)


def pulse() -> None:
    """Call the listener of this thread, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener()


@contextmanager
def listening(listener: Callable[[], None] | None) -> Iterator[None]:
    """For the block, call `listener` at every pulse of this thread; None stands for nobody."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


@contextmanager
def besides(listener: Callable[[], None]) -> Iterator[None]:
    """For the block, call `listener` at every pulse of this thread, after who listens already.

    What it calls pulses for that one alone.
    """
    before = _listener.get()

    def hear() -> None:
        with listening(before):
            pulse()
            listener()

    with listening(hear):
        yield


Hear = Callable[[int, int | None], None]  # told how much is done, and of how much, None where nobody knows
DELAY = 2.0  # seconds that a work takes before anything is shown of it
_hearer: ContextVar[Callable[[float], None] | None] = ContextVar("hearer", default=None)
quiet: ContextVar[bool] = ContextVar("quiet", default=False)  # that nobody wants to see it


def seen() -> bool:
    """Return whether somebody is there to see it: a server works in threads, and a pipe reads no bars."""
    here = "ipykernel" in sys.modules or sys.stderr.isatty()
    return here and not quiet.get() and current_thread() is main_thread()


@contextmanager
def progress(what: str, unit: str) -> Iterator[Hear]:
    """Give what a work calls with how much is done, and of how much; it is shown where somebody sees it.

    Args:
        what: the work, in a few words.
        unit: what is counted.
    """
    if (hear_share := _hearer.get()) is not None:
        yield lambda done, total: hear_share(done / total) if total else None
        return
    if not seen():
        yield lambda done, total: None
        return
    with warnings.catch_warnings(action="ignore"):  # a notebook without widgets has a bar of letters
        from tqdm.auto import tqdm
    with tqdm(desc=what, unit=f" {unit}", delay=DELAY, leave=False) as bar:

        def hear(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield hear


@contextmanager
def heard(hear_share: Callable[[float], None]) -> Iterator[None]:
    """For the block, call `hear_share` with the share that is done of each work of this thread, in place of a bar."""
    before = _hearer.set(hear_share)
    try:
        yield
    finally:
        _hearer.reset(before)


@contextmanager
def shares(what: str, hear_share: Callable[[float], None] | None) -> Iterator[Callable[[float], None]]:
    """Give what a work calls with the share that is done: what its caller gave, or a bar where that is None.

    Args:
        what: the work, in a few words.
        hear_share: what the caller wants to be called instead.
    """
    if hear_share is not None:
        yield hear_share
        return
    with progress(what, "%") as hear:
        yield lambda share: hear(round(100 * share), 100)


@contextmanager
def in_stages(what: str, sizes: Sequence[float]) -> Iterator[None]:
    """Show the works of the block, each of which begins at 0, as one that has these stages.

    Args:
        what: the whole work, in a few words.
        sizes: how long each stage takes, in any unit.
    """
    stage = -1
    with progress(what, "%") as hear:

        def hear_stage(share: float) -> None:
            nonlocal stage
            stage += share == 0
            done = sum(sizes[:stage]) + share * sum(sizes[stage : stage + 1])
            hear(round(100 * done / sum(sizes)), 100)

        with heard(hear_stage):
            yield


@contextmanager
def counting(what: str) -> Iterator[None]:
    """Count the runs of a model in the block, of which nobody knows how many there will be.

    Args:
        what: the work, in a few words.
    """
    done = 0
    with progress(what, "runs") as hear:

        def count() -> None:
            nonlocal done
            done += 1
            hear(done, None)

        with listening(count):
            yield
