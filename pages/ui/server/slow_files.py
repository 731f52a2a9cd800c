"""Files that take much to make, those of whole runs: one at a time."""

import io
from collections.abc import Callable
from typing import BinaryIO

from encoder.support.errors import EncoderError
from pages.ui.server import jobs, memory
from pages.ui.server.engine import budget

MOST_NUMBERS = 1_000_000  # of a table that is written out, 3 to 7 microseconds for each
MOST_BYTES = 150_000_000  # of a file that is made here; it lies in memory until it is fetched
WHILE_WRITTEN = 2.0  # what it takes to make a file, over its size


def check_table(numbers: int) -> None:
    """Refuse a table that would take long to write out.

    Raises:
        EncoderError: it holds more than MOST_NUMBERS.
    """
    if numbers > MOST_NUMBERS:
        raise EncoderError(
            f"its table would hold {numbers:,} numbers, and {MOST_NUMBERS:,} at most are written out here; shorten the "
            "sentence, choose one layer or head, or run its lines of code at home"
        )


def written(nbytes: int, write: Callable[[BinaryIO], object]) -> bytes:
    """What is written to a file of so many bytes, once its turn has come.

    Raises:
        EncoderError: there is no memory left for it.
    """
    with jobs.exporting.turn(), io.BytesIO() as file:
        memory.check_room(WHILE_WRITTEN * nbytes, "to write this file", budget.drop_one)
        write(file)
        return file.getvalue()
