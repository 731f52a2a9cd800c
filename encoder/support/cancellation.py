"""Points in long computations at which whoever asked for them may end them.

The library calls `pulse` between two runs of a model and between two parts of a long measure. It does nothing unless
somebody listens; what a listener raises ends the computation there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
