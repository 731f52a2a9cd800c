"""What the heads that carry the number of the subject to the verb carry at the kept moments of a training.

    python -m tests.shipped.circuit_moments --model small --out encoder/experiments/circuit/results/moments/small.json

The heads are those of the smallest sets of all moments that react, the one that carries most at its best moment first.
It takes half a minute.
"""

import sys
from pathlib import Path

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.natural_pairs import natural_pairs
from encoder.exam.treebank import bundled_treebanks
from encoder.experiments.circuit import MinimalPair, find_circuit, phenomenon, run_pair
from encoder.experiments.circuit.circuit_moments import TrainingCircuit, carried
from encoder.experiments.circuit.many_pairs import REACTS
from encoder.experiments.circuit.minimal_pair import NOISE
from encoder.experiments.circuit.patching import every_head
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.tasks.kept_moments import moments_of


def over_training(encoder: TextEncoder) -> TrainingCircuit:
    """Measure it of a model that keeps moments of its training."""
    moments = moments_of(encoder)
    constructed = reacting(encoder, phenomenon("number").pairs)
    natural = reacting(encoder, [pair for treebank in bundled_treebanks() for pair in natural_pairs(encoder, treebank)])
    every = every_head(encoder.config)
    alone = carried(moments, constructed, every)
    most = dict(zip(every, (np.nanmax(line) for line in alone.lines), strict=False))
    sets = (find_circuit(moments[step], constructed, least=NOISE, edges=False).heads for step in alone.drawn)
    heads = sorted({head for some in sets for head in some}, key=lambda head: -most[head])
    measured = (carried(moments, pairs, heads) for pairs in (constructed, natural))
    return TrainingCircuit(encoder.source.name, encoder.source.fingerprint, tuple(heads), *measured)


def reacting(encoder: TextEncoder, pairs: list[MinimalPair]) -> list[MinimalPair]:
    """Return the pairs that react at the end."""
    return [pair for pair in pairs if run_pair(encoder, pair).flip >= REACTS]


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine(
        "python -m tests.shipped.circuit_moments", description="Find what heads carry over a training."
    )
    parser.add_argument("--model", default="small", help="a bundled model that keeps moments of its training")
    parser.add_argument("--out", type=Path, required=True, help="the file that is written")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    whole_file.write(options.out, over_training(TextEncoder.from_pretrained(options.model)).to_json().encode())


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
