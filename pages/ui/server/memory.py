"""How much memory this server may take and has left, so that what does not fit is refused before it is made."""

import logging
import math
import os
from collections.abc import Callable
from pathlib import Path

from encoder.support.errors import EncoderError
from pages.ui.server.groups import levels
from pages.ui.server.heap import give_back_freed_memory

try:
    import resource
except ImportError:  # where the system knows no such bounds
    resource = None  # type: ignore[assignment]

MACHINE = Path("/proc/meminfo")
OWN = Path("/proc/self/statm")
SYSTEM = Path("/")
OFF = ("", "off", "0", "false", "no")  # of a setting that is on or off
SMALLEST_MB, UNKNOWN_MB = 1500, 4500  # a server of less is none; and where the system says nothing
WHILE_BUILT = 2.2  # a model in the making, over its weights: they are there twice, prepacked too, and some more


def setting(name: str, usual: int) -> int:
    """A whole number from the environment; what is no such number is logged, and the usual one counts."""
    said = os.environ.get(name, str(usual)).strip()
    if said.isascii() and said.isdigit() and int(said) > 0:
        return int(said)
    logging.getLogger(__name__).warning("%s is %r, no whole number of MB; it counts as %d", name, said[:40], usual)
    return usual


def usual_bound() -> int:
    """MB that a server may take where nothing is said: most of a container, half of a machine that others use too."""
    limit, machine = limit_of_group(), machine_memory().get("MemTotal", math.inf)
    found = min(0.9 * limit, 0.5 * machine) if limit < machine else 0.5 * machine
    found = min(found, 0.9 * address_space()[0])
    return max(SMALLEST_MB, int(found / 1e6)) if math.isfinite(found) else UNKNOWN_MB


def used() -> float:
    """Bytes that this process holds; 0 where the system does not say."""
    return own_pages(1)


def own_pages(which: int) -> float:
    """Bytes of this process: 0 for its address space, 1 for what it holds; 0 where the system does not say."""
    return float(int(OWN.read_text().split()[which]) * os.sysconf("SC_PAGE_SIZE")) if OWN.is_file() else 0.0


def limit_of_group() -> float:
    """Bytes that the container may use, the least of all levels that it is in; without end where there is none."""
    return min((level.limit for level in levels(SYSTEM)), default=math.inf)


def address_space() -> tuple[float, float]:
    """Bytes of address space that this process may take, without end where nothing is said, and those it takes."""
    if resource is None:
        return math.inf, 0.0
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return (math.inf, 0.0) if most == resource.RLIM_INFINITY else (float(most), own_pages(0))


def machine_memory() -> dict[str, float]:
    """What the system says of its memory, in bytes, by name; empty where it says nothing."""
    if not MACHINE.is_file():
        return {}
    lines = dict(line.split(":") for line in MACHINE.read_text().splitlines())
    return {name: 1024.0 * int(said.split()[0]) for name, said in lines.items() if said.split()[0].isdigit()}


MOST_MB: float = setting("ENCODER_MEMORY_MB", usual_bound())  # what the whole server may take
OWN_MB = 700.0  # of it, for libraries, pages, sessions and files in the making
KEPT_MB = max(500.0, MOST_MB - OWN_MB)  # the rest, for models, runs and results together
RUNS_MB = max(400.0, KEPT_MB / 4)  # of that, what runs may hold: 400 are about 80 of a dozen tokens in base


def left() -> float:
    """Bytes that can still be had, by the server's own bound, the machine and the container."""
    found = MOST_MB * 1e6 - used()
    found = min(found, machine_memory().get("MemAvailable", math.inf))
    most, taken = address_space()
    return min(found, most - taken, *(level.left for level in levels(SYSTEM)))


def check_room(needed: float, doing: str, let_go: Callable[[], bool] = lambda: False, spare: float = 0.0) -> None:
    """Refuse to do what takes so many bytes where they cannot be had.

    Args:
        needed: bytes.
        doing: what they are for, as in "to load it".
        let_go: gives up one thing that nobody uses; False where there is none.
        spare: bytes that could be let go of besides.

    Raises:
        EncoderError: there is too little memory; it says how much there is.
    """
    while needed > (room := left() + spare):
        if not let_go():
            said = f"{max(room, 0) / 1e6:,.0f}" if math.isfinite(room) else "not enough"
            raise EncoderError(f"it takes {needed / 1e6:,.0f} MB of memory {doing}; this server has {said} MB left")
        give_back_freed_memory()
