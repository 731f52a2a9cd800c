"""Processes that run, and those that they have started."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

SYSTEM = Path("/proc")


def family(first: int) -> list[int]:
    """Return the process and all that it has started, directly or not, as far as they run; none where none is left."""
    parents = {}
    for status in SYSTEM.glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(status.parent.name)] = int(fields[1])
    members = [first]
    for member in members:
        members += [process for process, parent in parents.items() if parent == member]
    return [process for process in members if process in parents]


def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait until it is true, and no longer than so many seconds."""
    end = monotonic() + seconds
    while not true():
        assert monotonic() < end, "it never came"
        sleep(0.05)
