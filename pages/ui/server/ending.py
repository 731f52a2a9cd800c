"""A server ends soon after it is told to: what is in the making then is not waited for, and its children end too."""

import os
import signal
import threading
from types import FrameType

SOON = 4.0  # seconds after which it has ended
TOLD_BY = (signal.SIGTERM, signal.SIGINT)


def bound() -> None:
    """Have this process end in time once it is told to; only a server's main thread can hear of that.

    What it writes takes its place whole or not at all, and its children end when nobody holds their standard input.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in TOLD_BY:
        before = signal.getsignal(number)

        def heard(number: int, frame: FrameType | None, before: object = before) -> None:
            last = threading.Timer(SOON, os._exit, [128 + number])
            last.daemon = True
            last.start()
            if callable(before):
                before(number, frame)

        signal.signal(number, heard)
