"""How a command begins and ends: what it is asked, what went wrong in a sentence, and its exit code."""

import sys
from argparse import Action, ArgumentParser
from collections.abc import Callable
from typing import Any, NoReturn

from encoder.support.progress import quiet


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
