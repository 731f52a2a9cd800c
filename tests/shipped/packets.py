"""`python -m tests.shipped.packets`: make the shipped packets again, and print the table of bytes for README.md."""

import sys

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.packet.run import level_1, table
from encoder.packet.shipped import MODEL, SENTENCES, path_of
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.progress import counting


def make(given: list[str] | None = None) -> None:
    """Write the files and print the table."""
    CommandLine("python -m tests.shipped.packets", description=__doc__).parse_args(given)
    encoder = TextEncoder.from_pretrained(MODEL)
    with counting("packets"):
        for sentence in SENTENCES:
            whole_file.write(path_of(sentence), level_1(encoder, encoder.trace(sentence)))
        print(table())


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
