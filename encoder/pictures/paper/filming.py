"""Make a film in a process of its own: python -m encoder.pictures.paper.filming FOLDER KIND.

FOLDER holds the film as it was asked for, and gets its file. Each line that is printed is the share that is done. It
loads nothing of a model: what is drawn are the numbers of the panels.
"""

import pickle
import sys
import tempfile
from pathlib import Path
from typing import cast

from encoder.pictures.paper.film import Film, Kind, film
from encoder.support.command_line import attend

ASKED = "film.pickle"


def ask(folder: Path, film: Film) -> None:
    """Lay down what the process is to make."""
    (folder / ASKED).write_bytes(pickle.dumps(film))


def file(folder: Path, kind: Kind) -> Path:
    """Where it lays down the film."""
    return folder / f"film.{kind}"


def main(folder: Path, kind: Kind) -> None:
    """Make the film and say how far it is."""
    tempfile.tempdir = str(folder)  # what is left there when this process is killed goes with the folder
    laid_down: Film = pickle.loads((folder / ASKED).read_bytes())
    file(folder, kind).write_bytes(film(laid_down, kind, lambda share: print(f"{share:.4f}", flush=True)))


if __name__ == "__main__":
    attend()
    main(Path(sys.argv[1]), cast(Kind, sys.argv[2]))
