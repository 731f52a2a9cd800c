"""Files that take much to make, those of whole runs: one at a time."""

import io
from collections.abc import Callable
from typing import BinaryIO

from pages.ui.server import jobs, memory
from pages.ui.server.engine import budget

MOST_BYTES = 150_000_000  # of a file that is made here; it lies in memory until it is fetched
WHILE_WRITTEN = 2.0  # what it takes to make a file, over its size


def written(nbytes: int, write: Callable[[BinaryIO], object]) -> bytes:
    """What is written to a file of so many bytes, once its turn has come.

    Raises:
        EncoderError: there is no memory left for it.
    """
    with jobs.exporting.turn(), io.BytesIO() as file:
        memory.check_room(WHILE_WRITTEN * nbytes, "to write this file", budget.drop_one)
        write(file)
        return file.getvalue()
