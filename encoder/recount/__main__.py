"""`python -m encoder.recount MODEL`: count the figures of a model's card again and print them."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator

from encoder.errors import EncoderError
from encoder.recount import guesses, heads, sizes
from encoder.text_encoder import TextEncoder


def figures(encoder: TextEncoder) -> Iterator[str]:
    """The figures, line by line."""
    for part in (sizes, heads, guesses):
        yield from part.lines(encoder)
        yield ""


def main(given: list[str] | None = None) -> int:
    """Print the figures of the model that the command line names; returns the exit code, 2 where there is none."""
    parser = ArgumentParser("python -m encoder.recount", description=__doc__)
    parser.add_argument("model", help="a bundled model, or the folder of one")
    try:
        for line in figures(TextEncoder.from_pretrained(parser.parse_args(given).model)):
            print(line)
    except EncoderError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
