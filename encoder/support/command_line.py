"""How a command, and a process that works for another one, begins and ends."""

import os
import signal
import sys
import threading
from argparse import Action, ArgumentParser
from collections.abc import Callable
from typing import Any, NoReturn

from encoder.support.progress import quiet

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


class Quiet(Action):
    """The argument that hides how far the work is, from where it is read on."""

    def __call__(self, *given: Any) -> None:
        """Hide it."""
        quiet.set(True)


class CommandLine(ArgumentParser):
    """A command line that refuses what it cannot read in one line, without the usage before it; the exit code is 2.

    Each has `-q`, which hides how far the work is.
    """

    def __init__(self, prog: str, **given: Any) -> None:
        super().__init__(prog, **given)
        quiet.set(False)
        self.add_argument("-q", "--quiet", action=Quiet, nargs=0, help="show no progress, as without a terminal")

    def error(self, message: str) -> NoReturn:
        """End the process with the message."""
        self.exit(2, f"error: {message}; {self.prog} --help lists what there is\n")


def exit_code(work: Callable[[], None], go_on: str) -> int:
    """Do the work: 0, or 2 where it cannot be done, or 130 where it was stopped; `go_on` says how to go on then."""
    try:
        work()
    except ValueError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error.filename or 'a file'} cannot be used: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"stopped; {go_on}", file=sys.stderr)
        return 130
    return 0
