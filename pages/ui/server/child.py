"""Long work in a process of its own, so that it never holds the interpreter of all sessions: watched and bounded.

It ends with the server, too: it waits for the end of its input (`encoder.support.command_line`).
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parents[3]
LOOK = 0.25  # seconds between two looks at it
MOST_SECONDS = 300.0
MOST_MB = 1500.0  # of the process; torch alone takes about 400
KILLED = "The process was ended from outside"


class EndedError(Exception):
    """The work is over before its end; the sentence, without its full stop, says why."""


def watched(
    module: str,
    arguments: Sequence[str],
    take: Callable[[str], None],
    check: Callable[[], None],
    started: Callable[["subprocess.Popen[bytes]"], None] = lambda process: None,
) -> None:
    """Run `python -m module` with the arguments to its end.

    `take` gets each line that it prints, in a thread of its own. `check` is called a few times a second; what it
    raises ends the process; what that has started ends with its input.

    Raises:
        EndedError: it took too long or too much memory, or did not come to its end.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=dict(os.environ) | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    started(process)
    reader = threading.Thread(target=read, args=(process, take), daemon=True)
    reader.start()
    try:
        look_after(process, check)
    finally:
        process.kill()
        process.wait()
        reader.join()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
    if process.returncode:
        raise EndedError(KILLED)


def look_after(process: "subprocess.Popen[bytes]", check: Callable[[], None]) -> None:
    """Wait for its end, or for a reason to end it."""
    begun = monotonic()
    while True:
        check()
        if monotonic() - begun > MOST_SECONDS:
            raise EndedError(f"It took longer than it may here, {MOST_SECONDS:,.0f} seconds")
        if megabytes(process.pid) > MOST_MB:
            raise EndedError(f"It took more memory than it may here, {MOST_MB:,.0f} MB")
        try:
            process.wait(LOOK)
            return
        except subprocess.TimeoutExpired:
            continue


def read(process: "subprocess.Popen[bytes]", take: Callable[[str], None]) -> None:
    """Take over each line as it comes."""
    assert process.stdout is not None
    for line in process.stdout:
        try:
            take(line.decode("ascii"))
        except ValueError:
            return  # the process was killed within a line


def megabytes(process: int) -> float:
    """What a process holds; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
