"""This server as a process: how many lines it may hold, and that it ends soon after it is told to.

What is in the making then is not waited for, and its children end too.
"""

import os
import signal
import threading
from types import FrameType

try:
    import resource
except ImportError:  # where the system knows no such bounds
    resource = None  # type: ignore[assignment]

SOON = 4.0  # seconds after which it has ended
MOST_LINES = 65_536  # descriptors
TOLD_BY = (signal.SIGTERM, signal.SIGINT)


def hold_many_lines() -> None:
    """Have as many descriptors as this process may: 1,024 are usual, and every open line takes one."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_LINES if hard == resource.RLIM_INFINITY else min(MOST_LINES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def end_in_time() -> None:
    """Have this process end in time once it is told to; only a server's main thread can hear of that.

    What it writes takes its place whole or not at all, and its children end when nobody holds their standard input.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in TOLD_BY:
        before = signal.getsignal(number)

        def heard(number: int, frame: FrameType | None, before: object = before) -> None:
            last = threading.Timer(SOON, os.kill, [os.getpid(), signal.SIGKILL])
            last.daemon = True
            last.start()
            if callable(before):
                before(number, frame)

        signal.signal(number, heard)
