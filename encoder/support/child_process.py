"""A process that works for another one: it lets others go first, and ends when the other is gone."""

import os
import signal
import sys
import threading

LATER = 10  # how much later than others it gets a processor, as `nice` counts


def attend() -> None:
    """Let others go first, and end when nobody holds the other end of the standard input any more.

    What is to be read from it must have been read before.
    """

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1 << 16):  # no buffer: its lock would be held when this process ends
            pass
        signal.raise_signal(signal.SIGTERM)

    if hasattr(os, "nice"):
        os.nice(LATER)
    threading.Thread(target=wait, daemon=True).start()
