"""`python -m encoder.experiments.circuit`: find the heads of a model that carry a change from one word to a gap."""

import sys
from pathlib import Path

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.natural_pairs import natural_pairs
from encoder.exam.treebank import bundled_treebanks, read_treebank
from encoder.experiments.circuit.found_circuit import Circuit, named
from encoder.experiments.circuit.many_pairs import REACTS, find_circuit
from encoder.experiments.circuit.pair_file import read_pairs
from encoder.experiments.circuit.patching import ranked
from encoder.experiments.circuit.phenomena import phenomenon
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.formatting import listed, percent

BUNDLED = "bundled"
ROWS = 5  # heads of the printed table


def make(given: list[str] | None = None) -> None:
    """Do what the command line says.

    Raises:
        EncoderError: a file cannot be read or written, or no pair can be used.
    """
    parser = CommandLine("python -m encoder.experiments.circuit", description=__doc__)
    parser.add_argument("--model", default="base", help="a bundled model or a folder")
    parser.add_argument("--step", type=int, metavar="N", help="the model as it was after so many steps of training")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="a CSV file with the columns a, b and perhaps answer_a, answer_b, or a line of JSON for each pair",
    )
    source.add_argument("--trees", metavar="FILE", help=f"CoNLL-U; {BUNDLED!r} for the treebanks that are bundled")
    source.add_argument("--constructed", metavar="NAME", help="a phenomenon, such as number, gender or capital")
    parser.add_argument("--least", type=float, default=REACTS, metavar="NATS", help="the smallest flip that counts")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON file that is written")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    if options.pairs:
        pairs = read_pairs(options.pairs)
    elif options.constructed:
        pairs = phenomenon(options.constructed).pairs
    else:
        treebanks = bundled_treebanks() if options.trees == BUNDLED else [read_treebank(options.trees)]
    encoder = TextEncoder.from_pretrained(options.model, step=options.step)
    if options.trees:
        pairs = [pair for treebank in treebanks for pair in natural_pairs(encoder, treebank)]
    circuit = find_circuit(encoder, pairs, least=options.least)
    whole_file.write(options.out, f"{circuit.to_json()}\n".encode())
    print("\n".join(table(circuit)))
    print(options.out)


def table(circuit: Circuit) -> list[str]:
    """Return what was found, line by line."""
    left_out = "".join(f"; left out: {count}, {why}" for why, count in circuit.left_out.items())
    lines = [
        f"{circuit.pairs} pair{'s' * (circuit.pairs != 1)}, flip {circuit.flip:.1f} nats{left_out}",
        *(f"  {named(head):>6} {percent(circuit.each[head]):>8}" for head in ranked(circuit.each)[:ROWS]),
        f"{listed(list(map(named, circuit.heads)))} together: {percent(circuit.share)}, "
        f"over half in {percent(circuit.over_half)} of pairs",
    ]
    if circuit.halves:
        lines.append(f"in even and odd pairs: {' and '.join(map(percent, circuit.halves))}")
    if not circuit.small:
        lines.append("no small set of heads carries it: these are the best")
    if circuit.random:
        lines.append(f"{len(circuit.random)} random sets as large: at most {percent(max(circuit.random))}")
    lines.append(f"all heads: {circuit.all:.3f}, none: {circuit.none:.3f}")
    lines += [
        f"  {edge.source} -> {named(edge.head)} -> {edge.target}: {percent(edge.share)}" for edge in circuit.edges
    ]
    return [*lines, f"these edges together: {percent(circuit.together)}"] if circuit.edges else lines


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
