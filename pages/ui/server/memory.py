"""How much memory this server may take and has left, so that what does not fit is refused before it is made."""

import logging
import math
import os
from collections.abc import Callable
from pathlib import Path

from pages.ui.server.heap import give_back_freed_memory

MACHINE = Path("/proc/meminfo")
OWN = Path("/proc/self/statm")
GROUP = Path("/sys/fs/cgroup")  # what a container may use
WHILE_BUILT = 2.2  # a model in the making, over its weights: they are there twice, prepacked too, and some more


def setting(name: str, usual: int) -> int:
    """A whole number from the environment; what is no such number is logged, and the usual one counts."""
    said = os.environ.get(name, str(usual)).strip()
    if said.isascii() and said.isdigit() and int(said) > 0:
        return int(said)
    logging.getLogger(__name__).warning("%s is %r, no whole number of MB; it counts as %d", name, said[:40], usual)
    return usual


MOST_MB: float = setting("ENCODER_MEMORY_MB", 4500)  # what the whole server may take
MODELS_MB = max(500.0, MOST_MB - 2000)  # of it, what all kept models may hold


def left() -> float:
    """Bytes that can still be had, by the server's own bound, the machine and the container."""
    found = MOST_MB * 1e6 - used()
    if MACHINE.is_file():
        lines = dict(line.split(":") for line in MACHINE.read_text().splitlines())
        found = min(found, 1024 * int(lines["MemAvailable"].split()[0]))
    most, now = GROUP / "memory.max", GROUP / "memory.current"
    if most.is_file() and now.is_file() and (limit := most.read_text().strip()).isdigit():
        found = min(found, int(limit) - int(now.read_text()) + cached())
    return found


def used() -> float:
    """Bytes that this process holds; 0 where the system does not say."""
    return int(OWN.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if OWN.is_file() else 0


def cached() -> int:
    """Bytes of files that the container counts as used, and gives up as soon as they are needed."""
    stat = GROUP / "memory.stat"
    lines = dict(line.split() for line in stat.read_text().splitlines()) if stat.is_file() else {}
    return int(lines.get("inactive_file", 0))


def check_room(needed: float, doing: str, let_go: Callable[[], bool] = lambda: False) -> None:
    """Refuse to do what takes so many bytes where they cannot be had.

    Args:
        needed: bytes.
        doing: what they are for, as in "to load it".
        let_go: gives up one thing that nobody uses; False where there is none.

    Raises:
        ValueError: there is too little memory; it says how much there is.
    """
    while needed > (room := left()):
        if not let_go():
            said = f"{max(room, 0) / 1e6:,.0f}" if math.isfinite(room) else "not enough"
            raise ValueError(f"it takes {needed / 1e6:,.0f} MB of memory {doing}; this server has {said} MB left")
        give_back_freed_memory()
