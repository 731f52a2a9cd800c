"""How a long command ends: what went wrong in a sentence, and its exit code."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import NoReturn


class CommandLine(ArgumentParser):
    """A command line that refuses what it cannot read in one line, without the usage before it; the exit code is 2."""

    def error(self, message: str) -> NoReturn:
        """End the process with the message."""
        self.exit(2, f"error: {message}; {self.prog} --help lists what there is\n")


def exit_code(work: Callable[[], None], go_on: str) -> int:
    """Do the work: 0, or 2 where it cannot be done, or 130 where it was stopped; `go_on` says how to go on then."""
    try:
        work()
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error.filename or 'a file'} cannot be used: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"stopped; {go_on}", file=sys.stderr)
        return 130
    return 0
