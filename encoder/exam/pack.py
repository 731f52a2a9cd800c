"""`python -m encoder.exam.pack FILE.conllu OUT.conllu.xz`: keep of a treebank what an examination reads, and pack it.

Words, parts of speech, features, governors, relations and the number of each sentence stay as they are; lemmas, parts
of speech of the language's own, enhanced relations, notes, and all other comments are left out.
"""

import lzma
import sys
from pathlib import Path

from encoder.support import whole_file

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


def main(given: list[str]) -> None:
    """Pack the file that the command line names."""
    source, out = map(Path, given)
    whole_file.write(out, packed(source.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(sys.argv[1:])
