"""Train on a task and print every moment as a line of JSON: python -m encoder.tasks task=reverse,seed=3."""

import json
import sys

import torch

from encoder.support.command_line import CommandLine, attend, exit_code
from encoder.tasks.settings import read
from encoder.tasks.task_training import DivergedError, learn


def run(settings: str) -> None:
    """Train and print; what goes wrong is a line of its own."""
    try:
        for moment in learn(read(settings)):
            print(moment.line, flush=True)
    except DivergedError as error:
        print(json.dumps({"error": str(error)}), flush=True)
    except (MemoryError, RuntimeError) as error:  # torch raises the latter where it gets no memory
        print(json.dumps({"error": f"with an error: {str(error)[:200] or 'there is too little memory'}"}), flush=True)


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m encoder.tasks", description=__doc__)
    parser.add_argument("settings", nargs="?", default="task=reverse", help="such as task=reverse,heads=2,seed=3")
    parser.add_argument("--attended", action="store_true", help="end when the standard input is closed")
    options = parser.parse_args(given)
    torch.set_num_threads(1)  # several are slower on matrices so small, and sum in another order
    if options.attended:
        attend()
    run(options.settings)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
