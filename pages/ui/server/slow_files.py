"""Files that take much to make: those of whole runs one at a time, films in a process of their own.

To draw the pictures of a film would hold the interpreter of all sessions for seconds.
"""

import io
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from encoder.pictures.paper import filming
from encoder.pictures.paper.film import Film, Kind
from encoder.support.progress import pulse
from pages.ui.server import jobs, memory
from pages.ui.server.engine import budget

MOST_BYTES = 150_000_000  # of a file that is made here; it lies in memory until it is fetched
WHILE_WRITTEN = 2.0  # what it takes to make a file, over its size
NEEDED = 500e6  # bytes that the process takes for a film of usual size


def written(nbytes: int, write: Callable[[BinaryIO], object]) -> bytes:
    """What is written to a file of so many bytes, once its turn has come.

    Raises:
        EncoderError: there is no memory left for it.
    """
    with jobs.exporting.turn(), io.BytesIO() as file:
        memory.check_room(WHILE_WRITTEN * nbytes, "to write this file", budget.drop_one)
        write(file)
        return file.getvalue()


def filmed(film: Film, kind: Kind, tell: Callable[[float], None]) -> bytes:
    """The film as a file; `tell` gets the share that is done. Who leaves, or what `tell` raises, ends the process.

    Raises:
        EncoderError: there is no memory left for it.
        EndedError: it took too long or too much memory, or was ended from outside.
    """
    memory.check_room(NEEDED, "to make a film", budget.drop_one)
    done = [0.0]

    def look() -> None:
        pulse()
        tell(done[-1])

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        filming.ask(Path(folder), film)
        jobs.watched("encoder.pictures.paper.filming", [folder, kind], lambda line: done.append(float(line)), look)
        return filming.file(Path(folder), kind).read_bytes()
