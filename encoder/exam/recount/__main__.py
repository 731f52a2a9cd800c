"""`python -m encoder.exam.recount MODEL`: count the figures of a model's card again and print them."""

import sys
from collections.abc import Iterator

from encoder.exam.recount import guesses, heads, sizes
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.progress import counting
from encoder.text_encoder import TextEncoder


def figures(encoder: TextEncoder) -> Iterator[str]:
    """The figures, line by line."""
    for part in (sizes, heads, guesses):
        yield from part.lines(encoder)
        yield ""


def main(given: list[str] | None = None) -> int:
    """Print the figures of the model that the command line names; returns the exit code, 2 where there is none."""
    parser = CommandLine("python -m encoder.exam.recount", description=__doc__)
    parser.add_argument("model", help="a bundled model, or the folder of one")
    asked = parser.parse_args(given)

    def work() -> None:
        with counting("figures"):
            lines = list(figures(TextEncoder.from_pretrained(asked.model)))
        print("\n".join(lines))

    return exit_code(work, "start again")


if __name__ == "__main__":
    sys.exit(main())
