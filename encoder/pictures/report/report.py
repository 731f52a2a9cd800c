"""A whole run as one living file: `python -m encoder.pictures.report "a sentence" --out report.html`.

All pages that draw from packets, the numbers of every step of the named layers, and the charts of the run.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from encoder.browser.cell import LivingCell, drawn
from encoder.browser.held import held
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.packet.format import unpack
from encoder.packet.run import opening
from encoder.packet.step_numbers import level_8
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.formatting import megabytes
from encoder.support.progress import Hear, counting, progress
from encoder.trace.trace import Trace

LARGEST = 60_000_000  # bytes; a browser that opens more is slow
PACKED = 1.4  # characters of a file for each byte of numbers


def report(
    encoder: TextEncoder, trace: Trace, layers: Sequence[int] | None = None, *, with_charts: bool = True
) -> LivingCell:
    """Return a run as a living file with all that there is of it.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        layers: those whose steps are there number by number; all where none are named.
        with_charts: whether the charts that no page of the file draws stand below, which the extra `figures` draws.

    Raises:
        EncoderError: a trace of another model, no such layer, or a file of more than LARGEST bytes.
    """
    if with_charts:
        from encoder.pictures.report.report_charts import charts  # what it draws with is an extra of the package
    encoder.check_own(trace)
    steps = steps_of(trace, layers)
    nbytes = int(PACKED * sum(4 * trace[step].numel() for step in steps if trace.step(step).shape[-1] != "vocab"))
    if nbytes > LARGEST:
        raise EncoderError(
            f"the report would take {megabytes(nbytes)}, more than {megabytes(LARGEST)}; "
            "name fewer layers or a shorter sentence"
        )
    with counting("pages"):
        (packets,) = held([(encoder, trace)], most=None)
    with progress("numbers", "steps") as hear:
        packets += numbers(encoder, trace, steps, hear)
    below = ""
    if with_charts:
        with progress("charts", "charts") as hear:
            below = charts(encoder, trace, opening(*unpack(packets[0])[1:]), hear)
    return drawn([packets], "start", {}, below=below)


def steps_of(trace: Trace, layers: Sequence[int] | None) -> list[str]:
    """Return the names of the steps of these layers, all where none are named, and of those that stand in none.

    Raises:
        EncoderError: the model has no such layer.
    """
    count = trace.config.n_layers
    absent = [layer for layer in layers or () if not 0 <= layer < count]
    if absent:
        raise EncoderError(f"there is no layer {absent[0]}; layers of {trace.source.name} go from 0 to {count - 1}")
    return [name for name in trace if layers is None or trace.step(name).layer in (None, *layers)]


def numbers(encoder: TextEncoder, trace: Trace, steps: Sequence[str], hear: Hear) -> list[bytes]:
    """Return the numbers of these steps as packets of level 8: of one with a matrix for each head, one for each."""
    packets = []
    for done, step in enumerate(steps):
        hear(done, len(steps))
        heads = range(trace.config.n_heads) if "H" in trace.step(step).shape else [0]
        packets += [level_8(encoder, trace, step, [head]) for head in heads]
    hear(len(steps), len(steps))
    return packets


def layer_numbers(text: str) -> list[int] | None:
    """The layers in "0,5"; None for "all".

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    if text == "all":
        return None
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise argparse.ArgumentTypeError(f"layers are {text[:40]!r}; they must be such as 0,5 or all")
    return [int(part) for part in parts]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = CommandLine("python -m encoder.pictures.report", description=__doc__)
    parser.add_argument("sentence")
    parser.add_argument("--pair", default="", help="a second sentence, read together with the first")
    parser.add_argument("--model", default="base", help="what from_pretrained takes (default: base)")
    parser.add_argument(
        "--layers",
        type=layer_numbers,
        default=None,
        help="those whose steps are there number by number, such as 0,5, or all (default: all)",
    )
    parser.add_argument(
        "--charts",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="charts that no page of the file draws, below them; they need the extra figures",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("report.html"), help="the file to write (default: report.html)"
    )
    options = parser.parse_args(arguments)
    return exit_code(lambda: write(options), "start again")


def write(options: argparse.Namespace) -> None:
    """Write the report that is asked for."""
    whole_file.check(options.out)
    encoder = TextEncoder.from_pretrained(options.model)
    trace = encoder.trace((options.sentence, options.pair) if options.pair else options.sentence)
    report(encoder, trace, options.layers, with_charts=options.charts).save(options.out)
    print(f"{options.out}: {megabytes(options.out.stat().st_size)}")
