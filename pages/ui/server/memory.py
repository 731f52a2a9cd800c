"""How much memory this server may take and has left, so that what does not fit is refused before it is made.

Freed memory kept at hand: what makes recording a long sentence as fast as not recording it.

A recorded run of 128 tokens holds 40 MB. By default the C library gives such blocks back to the system when the run is
dropped, and the next run pays for every page anew; see tests/benchmarks/bench_trace.py for what that costs.

Blocks larger than any of such a run do go back at once: those of long texts leave holes of hundreds of megabytes
otherwise, between whatever small was allocated meanwhile, in which the next long text finds no place.

oneDNN, which computes linear maps, and torch beside it keep machine code made for every shape of an input: two
megabytes for each length of a sentence, up to 1,024 shapes, of which a length has five. Visitors with texts of sixty
lengths would leave 140 MB behind that no bound of the server counts. To make it anew takes about a millisecond.
"""

import ctypes
import gc
import logging
import math
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

from encoder.support.errors import EncoderError

try:
    import resource
except ImportError:  # where the system knows no such bounds
    resource = None  # type: ignore[assignment]

SYSTEM = Path("/")
OFF = ("", "off", "0", "false", "no")  # of a setting that is on or off
NO_LIMIT = 2**62  # bytes: a group of version 1 without a limit says a number near 2**63
SMALLEST_MB = 1500  # a server of less is none
WHILE_BUILT = 2.2  # a model in the making, over its weights: they are there twice, prepacked too, and some more
# Of version 2 and of the memory controller of version 1: the limit, what is held, and files that are given up at need.
FILES = {
    "cgroup2": ("memory.max", "memory.current", "inactive_file"),
    "cgroup": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # M_TRIM_THRESHOLD and so on, of glibc's malloc.h
KEPT_BYTES, MAPPED_BYTES = 384 * 2**20, 2 * 2**20
ARENAS = 2  # each keeps what was freed in it; every thread has one of its own otherwise, and a server many threads
SHAPES = 64  # of which machine code is kept: those of the last dozen lengths of a sentence
KEEPERS = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")  # what oneDNN and torch read that number from


def setting(name: str, usual: int) -> int:
    """A whole number from the environment; what is no such number is logged, and the usual one counts."""
    value = os.environ.get(name, str(usual)).strip()
    if value.isascii() and value.isdigit() and int(value) > 0:
        return int(value)
    logging.getLogger(__name__).warning("%s is %r, no whole number of MB; it counts as %d", name, value[:40], usual)
    return usual


def usual_bound() -> int:
    """MB that a server may take where nothing is said: most of a container, half of a machine that others use too."""
    limit, machine = limit_of_group(), psutil.virtual_memory().total
    bound = min(0.9 * limit, 0.5 * machine) if limit < machine else 0.5 * machine
    return max(SMALLEST_MB, int(min(bound, 0.9 * address_space()[0]) / 1e6))


def used() -> float:
    """Bytes that this process holds."""
    return float(psutil.Process().memory_info().rss)


def limit_of_group() -> float:
    """Bytes that the container may use, the least of all levels that it is in; without end where there is none."""
    return min((level.limit for level in levels(SYSTEM)), default=math.inf)


def address_space() -> tuple[float, float]:
    """Bytes of address space that this process may take, without end where nothing is said, and those it takes."""
    if resource is None:
        return math.inf, 0.0
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return (math.inf, 0.0) if most == resource.RLIM_INFINITY else (most, psutil.Process().memory_info().vms)


@dataclass(frozen=True)
class Level:
    """A group with a limit: bytes that it may hold, those it holds, and of them what it gives up when needed."""

    limit: int
    held: int
    given_up: int

    @property
    def left(self) -> int:
        """Bytes that it can still have."""
        return self.limit - self.held + self.given_up


def levels(system: Path) -> list[Level]:
    """Every group with a limit that this process is in; `system` is the root of all files, `/` but in tests."""
    all_levels = (read_level(folder, *FILES[kind]) for kind, folder in groups(system))
    return [level for level in all_levels if level is not None]


@cache
def groups(system: Path) -> tuple[tuple[str, Path], ...]:
    """The kind and folder of every group that this process is in, as it was when it was first asked for."""
    own, folders = dict(read_own(system / "proc/self/cgroup")), []
    for kind, top, at in mounted(system / "proc/self/mountinfo"):
        path = own.get(kind)
        if path is None:
            continue
        base = system / at.lstrip("/")
        inside = path.removeprefix(top if top != "/" else "").strip("/") if path.startswith(top) else ""
        folder = base / inside if (base / inside).is_dir() and ".." not in inside else base
        while True:
            folders.append((kind, folder))
            if folder == base:
                break
            folder = folder.parent
    return tuple(folders)


def read_own(file: Path) -> list[tuple[str, str]]:
    """The kind and path of the groups that count memory, as the process sees them."""
    groups = []
    for line in lines_of(file):
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0" and not controllers:
            groups.append(("cgroup2", path))
        elif "memory" in controllers.split(","):
            groups.append(("cgroup", path))
    return groups


def mounted(file: Path) -> list[tuple[str, str, str]]:
    """The kind of each hierarchy that counts memory, which of its groups is at the top of what is seen, and where."""
    mounts = []
    for line in lines_of(file):
        place, _, what = line.partition(" - ")
        if len(place.split()) < 5 or len(what.split()) < 3:
            continue
        kind, _, options = what.split()[:3]
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
            top, at = place.split()[3:5]
            mounts.append((kind, top, at))
    return mounts


def read_level(folder: Path, limit: str, held: str, given_up: str) -> Level | None:
    """What a group's files say; None where it has no limit."""
    most = number_in(folder / limit)
    if most is None or most >= NO_LIMIT:
        return None
    spare = [line.split()[1] for line in lines_of(folder / "memory.stat") if line.startswith(f"{given_up} ")]
    return Level(most, number_in(folder / held) or 0, int(spare[0]) if spare and spare[0].isdigit() else 0)


def number_in(file: Path) -> int | None:
    """The whole number in a file; None where it holds none, as "max"."""
    text = "".join(lines_of(file)).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 30 else None


def lines_of(file: Path) -> list[str]:
    """The lines of a file of the system; none where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


MOST_MB: float = setting("ENCODER_MEMORY_MB", usual_bound())  # what the whole server may take
OWN_MB = 700.0  # of it, for libraries, pages, sessions and files in the making
KEPT_MB = max(500.0, MOST_MB - OWN_MB)  # the rest, for models, runs and results together
RUNS_MB = max(400.0, KEPT_MB / 4)  # of that, what runs may hold: 400 are about 80 of a dozen tokens in base


def left() -> float:
    """Bytes that can still be had, by the server's own bound, the machine and the container."""
    room = MOST_MB * 1e6 - used()
    room = min(room, psutil.virtual_memory().available)
    most, taken = address_space()
    return min(room, most - taken, *(level.left for level in levels(SYSTEM)))


def check_room(needed: float, doing: str, let_go: Callable[[], bool] = lambda: False, spare: float = 0.0) -> None:
    """Refuse to do what takes so many bytes where they cannot be had, not even after a search for garbage.

    Args:
        needed: bytes.
        doing: what they are for, as in "to load it".
        let_go: gives up one thing that nobody uses; False where there is none.
        spare: bytes that could be let go of besides.

    Raises:
        EncoderError: there is too little memory; it says how much there is.
    """
    if needed <= left() + spare:
        return
    gc.collect()  # what pages leave behind may hold whatever they showed
    give_back_freed_memory()
    while needed > (room := left() + spare):
        if not let_go():
            megabytes = f"{max(room, 0) / 1e6:,.0f}" if math.isfinite(room) else "not enough"
            raise EncoderError(
                f"it takes {needed / 1e6:,.0f} MB of memory {doing}; this server has {megabytes} MB left"
            )
        give_back_freed_memory()


@cache
def keep_freed_memory() -> bool:
    """Let this process keep up to 384 MiB of freed memory instead of handing it back, and use few heaps.

    It counts for threads that allocate for the first time after it, so it comes first in a program.

    Returns:
        whether the C library took the settings; elsewhere than on glibc nothing changes.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    libc = ctypes.CDLL(None)
    settings = {ARENA_MAX: ARENAS, TRIM_THRESHOLD: KEPT_BYTES, MMAP_THRESHOLD: MAPPED_BYTES}
    return all(libc.mallopt(name, value) for name, value in settings.items())


def keep_little_machine_code() -> None:
    """Let this process, and those it starts, keep the machine code of few shapes, where nobody has said of how many.

    Both ask once, when they compute for the first time.
    """
    for name in KEEPERS:
        os.environ.setdefault(name, str(SHAPES))


def give_back_freed_memory() -> None:
    """Hand pages back to the system in which nothing is left; takes about 10 ms, and does nothing but on glibc.

    What many threads freed lies scattered among what is still held, and is not used again as a whole.
    """
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)
