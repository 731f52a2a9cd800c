"""Train on a task and print every moment as a line of JSON: python -m encoder.tasks task=reverse,seed=3.

With --record the runs that come with the package are made again, with --mysteries the mystery models.
"""

import json
import sys
from pathlib import Path

import torch

from encoder.support.command_line import CommandLine, attend, exit_code
from encoder.tasks import mystery
from encoder.tasks.models import record, to_record
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
    parser.add_argument("--record", action="store_true", help="make the runs that come with the package again")
    parser.add_argument("--mysteries", action="store_true", help="train the mystery models again")
    parser.add_argument("--attended", action="store_true", help="end when the standard input is closed")
    options = parser.parse_args(given)
    torch.set_num_threads(1)  # several are slower on matrices so small, and sum in another order
    if options.attended:
        attend()
    if options.mysteries:
        for number, hidden_task in mystery.MYSTERIES.items():
            mystery.hide(number, list(learn(hidden_task.settings))[-1])
            print(mystery.place(number))
        return
    if options.record:
        for settings in to_record():
            record(settings, list(learn(settings)))
            print(settings, Path(__file__).with_name("recorded"))
        return
    run(options.settings)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
