"""What small models learn in eight tries each, with another seed in each.

    python -m tests.shipped.tries --out encoder/tasks/tries.json

Each is trained on one thread: another machine may round otherwise.
"""

import datetime
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

import torch

from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.tasks.learning import learning_curve
from encoder.tasks.tries import HEADS, SEEDS, TRAINED, Tries
from encoder.tasks.two_relations import pairs_right

COMMAND = "python -m tests.shipped.tries"


def train(processes: int | None = None) -> Tries:
    """Train all tries now, in so many processes; None stands for one on each processor."""
    kinds = [(layers, kind) for layers, names in TRAINED.items() for kind in names]
    with ProcessPoolExecutor(processes, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        learnt = {kind: [pool.submit(learning_curve, kind[1], kind[0], seed=seed) for seed in SEEDS] for kind in kinds}
        right_of = {str(heads): [pool.submit(pairs_right, heads, seed) for seed in SEEDS] for heads in HEADS}
        curves = {kind: [work.result() for work in works] for kind, works in learnt.items()}
        pairs = {heads: rounded([work.result() for work in works]) for heads, works in right_of.items()}
    losses: dict[str, dict[str, list[list[float]]]] = {str(layers): {} for layers in TRAINED}
    right: dict[str, dict[str, list[float]]] = {str(layers): {} for layers in TRAINED}
    for (layers, kind), them in curves.items():
        losses[str(layers)][kind] = [rounded(curve.loss.tolist()) for curve in them]
        right[str(layers)][kind] = rounded([float(curve.right[-1]) for curve in them])
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Tries(today, COMMAND, curves[kinds[0]][0].steps, losses, right, pairs)


def rounded(values: Sequence[float]) -> list[float]:
    """The same to four digits after the point."""
    return [round(value, 4) for value in values]


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine(COMMAND, description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON that is written")
    parser.add_argument("--processes", type=int, metavar="N", help="that train; usually one on each processor")
    asked = parser.parse_args(given)
    whole_file.check(asked.out)
    whole_file.write(asked.out, f"{json.dumps(asdict(train(asked.processes)))}\n".encode())
    print(asked.out)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
