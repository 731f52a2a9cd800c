"""Freed memory kept at hand: what makes recording a long sentence as fast as not recording it.

A recorded run of 128 tokens holds 40 MB. By default the C library gives such blocks back to the system when the run is
dropped, and the next run pays for every page anew; see tests/benchmarks/bench_trace.py for what that costs.

Blocks larger than any of such a run do go back at once: those of long texts leave holes of hundreds of megabytes
otherwise, between whatever small was allocated meanwhile, in which the next long text finds no place.

oneDNN, which computes linear maps, and torch beside it keep machine code made for every shape of an input: two
megabytes for each length of a sentence, up to 1,024 shapes, of which a length has five. Visitors with texts of sixty
lengths would leave 140 MB behind that no bound of the server counts. To make it anew takes about a millisecond.
"""

import ctypes
import os
import platform
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # M_TRIM_THRESHOLD and so on, of glibc's malloc.h
KEPT_BYTES, MAPPED_BYTES = 384 * 2**20, 2 * 2**20
ARENAS = 2  # each keeps what was freed in it; every thread has one of its own otherwise, and a server many threads
SHAPES = 64  # of which machine code is kept: those of the last dozen lengths of a sentence
KEEPERS = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")  # what oneDNN and torch read that number from


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
