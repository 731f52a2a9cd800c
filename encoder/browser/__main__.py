"""Write a run as a living file: python -m encoder.browser "The capital of France is [MASK]." --out run.html.

It holds Start of all sentences, and of the other pages as much as fits into 2 MB, the first sentence first. `--whole`
holds all of them, however large the file becomes, `--no-whole` Start alone; then the sentences of the library are there
without a model. `--numbers 0,5` adds every number of the steps of these layers.
"""

import sys
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Sequence
from pathlib import Path

from encoder.browser.living import living_file
from encoder.browser.page_table import PAGES
from encoder.packet import shipped
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.progress import counting


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m encoder.browser", description=__doc__)
    parser.add_argument("sentence", nargs="+", help="what the file shows; the first one is shown first")
    parser.add_argument("--model", default=shipped.MODEL)
    parser.add_argument("--title", default="See how an encoder thinks")
    parser.add_argument("--page", default="start", choices=PAGES, help="the page that it opens with")
    parser.add_argument("--whole", action=BooleanOptionalAction, help="hold all pages of all sentences")
    parser.add_argument(
        "--numbers",
        type=layer_numbers,
        default=[],
        metavar="LAYERS",
        help="hold every number of the steps of these layers and of those that are of none, such as 0,5, or all",
    )
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    bare = options.model == shipped.MODEL and options.whole is False and options.numbers == []
    packets = [[packet] for sentence in options.sentence if bare and (packet := shipped.shipped(sentence)) is not None]
    if len(packets) < len(options.sentence):
        packets = new_packets(options.sentence, options.model, options.page, options.whole, options.numbers)
    whole_file.write(options.out, living_file(packets, options.title, page=options.page).encode())


def layer_numbers(text: str) -> list[int] | None:
    """The layers in "0,5"; None for "all".

    Raises:
        ArgumentTypeError: it is neither.
    """
    if text == "all":
        return None
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise ArgumentTypeError(f"layers are {text[:40]!r}; they must be such as 0,5 or all")
    return [int(part) for part in parts]


def new_packets(
    sentences: Sequence[str], model: str, page: str, whole: bool | None, layers: list[int] | None
) -> list[list[bytes]]:
    """Return the packets of runs that are made now, all, those of Start, or as many as fit, and numbers of steps."""
    from encoder.browser.held import MOST, first, held, numbers_of_steps
    from encoder.checkpoint.text_encoder import TextEncoder

    encoder = TextEncoder.from_pretrained(model)
    runs = [(encoder, encoder.trace(sentence)) for sentence in sentences]
    if whole is False:
        return [[first(*run), *numbers_of_steps(*run, layers)] for run in runs]
    with counting("packets"):
        return held(runs, page=page, most=None if whole else MOST, numbers=layers)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
