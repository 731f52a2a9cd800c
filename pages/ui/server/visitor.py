"""Whose script runs now, and whether the page it runs for is still open."""

from collections.abc import Iterator
from contextlib import contextmanager

from encoder.pulse import listening
from pages.ui.server import inside


def current() -> str:
    """The session whose script this thread runs; empty in any other thread."""
    return inside.session_id()


def is_here(session: str) -> bool:
    """Whether the page of a session is open."""
    return inside.is_open(session)


@contextmanager
def attended() -> Iterator[None]:
    """For the block, long computations end where the page was closed or its visitor has chosen something else."""
    with listening(inside.leave_if_asked()):
        yield
