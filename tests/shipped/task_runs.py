"""The recorded runs and the mystery models: `python -m tests.shipped.task_runs`, and with --mysteries those alone."""

import gzip
import sys

import torch

from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.tasks import mystery
from encoder.tasks.models import place, to_record
from encoder.tasks.task_training import learn


def make(given: list[str] | None = None) -> None:
    """Train and write: of a run a line of JSON for each moment, the same bytes for the same moments."""
    parser = CommandLine("python -m tests.shipped.task_runs", description=__doc__)
    parser.add_argument("--mysteries", action="store_true", help="train the mystery models, and record no runs")
    asked = parser.parse_args(given)
    torch.set_num_threads(1)  # several are slower on matrices so small, and sum in another order
    if asked.mysteries:
        for number, hidden_task in mystery.MYSTERIES.items():
            whole_file.write(mystery.place(number), list(learn(hidden_task.settings))[-1].weights)
            print(mystery.place(number))
        return
    for settings in to_record():
        lines = "".join(f"{moment.line}\n" for moment in learn(settings))
        whole_file.write(place(settings), gzip.compress(lines.encode("ascii"), mtime=0))
        print(place(settings))


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
