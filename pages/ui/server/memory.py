"""How much memory there is left, so that a model that does not fit is refused before it is built."""

import math
from pathlib import Path

MACHINE = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # what a container may use
WHILE_BUILT = 2.2  # a model in the making, over its weights: they are there twice for a moment, and some more


def left() -> float:
    """Bytes that can still be had, by the machine and by the container; infinity where neither says."""
    found = math.inf
    if MACHINE.is_file():
        lines = dict(line.split(":") for line in MACHINE.read_text().splitlines())
        found = 1024 * int(lines["MemAvailable"].split()[0])
    most, used = GROUP / "memory.max", GROUP / "memory.current"
    if most.is_file() and used.is_file() and (limit := most.read_text().strip()).isdigit():
        found = min(found, int(limit) - int(used.read_text()) + cached())
    return found


def cached() -> int:
    """Bytes of files that the container counts as used, and gives up as soon as they are needed."""
    stat = GROUP / "memory.stat"
    lines = dict(line.split() for line in stat.read_text().splitlines()) if stat.is_file() else {}
    return int(lines.get("inactive_file", 0))


def check_room(weights: int) -> None:
    """Refuse to build a model with so many bytes of weights where they would not fit.

    Raises:
        ValueError: there is too little memory; it says how much there is.
    """
    room = left()
    if WHILE_BUILT * weights > room:
        needed = f"{WHILE_BUILT * weights / 1e6:,.0f}"
        raise ValueError(f"it takes {needed} MB of memory to load it; this server has {room / 1e6:,.0f} MB left")
