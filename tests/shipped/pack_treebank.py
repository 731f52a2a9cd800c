"""`python -m tests.shipped.pack_treebank FILE.conllu OUT.conllu.xz`: pack what an examination reads.

Words, parts of speech, features, governors, relations and the number of each sentence stay as they are; lemmas, parts
of speech of the language's own, enhanced relations, notes, and all other comments are left out.
"""

import lzma
import sys
from pathlib import Path

from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code

DROPPED = (2, 4, 8, 9)  # columns, from 0: LEMMA, XPOS, DEPS, MISC


def packed(text: str) -> bytes:
    """Return the text of a CoNLL-U file with what is kept of it, packed by xz."""
    lines = list[str]()
    for line in text.splitlines():
        columns = line.split("\t")
        if line.startswith("#"):
            lines += [line] if line.startswith("# sent_id") else []
        elif len(columns) == 1:
            lines.append(line)
        else:
            lines.append("\t".join("_" if i in DROPPED else value for i, value in enumerate(columns)))
    return lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME)


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m tests.shipped.pack_treebank", description="Pack a treebank.")
    parser.add_argument("source", type=Path, metavar="FILE", help="CoNLL-U")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file that is written, packed by xz")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    whole_file.write(options.out, packed(options.source.read_text(encoding="utf-8")))


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
