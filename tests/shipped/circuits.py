"""The heads that carry a change of number in sentences that people wrote, and of other things in constructed ones.

    python -m tests.shipped.circuits --model base --constructed --out encoder/experiments/circuit/results/base.json
    python -m tests.shipped.circuits --model small --out encoder/experiments/circuit/results/small.json

It takes about half an hour with two cores for base.
"""

import sys
from dataclasses import replace
from pathlib import Path

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.natural_pairs import natural_pairs
from encoder.exam.treebank import bundled_treebanks
from encoder.experiments.circuit import find_circuit, phenomena
from encoder.experiments.circuit.shipped_circuits import ShippedCircuits
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code


def circuits(encoder: TextEncoder, constructed: bool) -> ShippedCircuits:
    """Find the circuit of the natural pairs of the bundled treebanks, and where wanted those of all phenomena."""
    pairs = [pair for treebank in bundled_treebanks() for pair in natural_pairs(encoder, treebank)]
    natural = find_circuit(encoder, pairs)
    tables = {
        name: replace(find_circuit(encoder, phenomenon.pairs), of_pairs=())
        for name, phenomenon in (phenomena() if constructed else {}).items()
    }
    return ShippedCircuits(encoder.source.name, encoder.source.fingerprint, natural, tables)


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m tests.shipped.circuits", description="Find the circuits that are shipped.")
    parser.add_argument("--model", default="base", help="a bundled model")
    parser.add_argument("--constructed", action="store_true", help="constructed phenomena too")
    parser.add_argument("--out", type=Path, required=True, help="the file that is written")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    whole_file.write(
        options.out, circuits(TextEncoder.from_pretrained(options.model), options.constructed).to_json().encode()
    )


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
