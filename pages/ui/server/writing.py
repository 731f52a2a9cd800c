"""Files of a whole run, which may be large: one of them is made at a time, for all sessions and routes."""

import io
import threading
from collections.abc import Callable
from typing import BinaryIO

from pages.ui.server import memory
from pages.ui.server.engine import budget

MOST_BYTES = 150_000_000  # of a file that is made here; it lies in memory until it is fetched
WHILE_WRITTEN = 2.0  # what it takes to make a file, over its size
export_lock = threading.Lock()


def written(nbytes: int, write: Callable[[BinaryIO], object]) -> bytes:
    """What is written to a file of so many bytes, once its turn has come.

    Raises:
        EncoderError: there is no memory left for it.
    """
    with export_lock, io.BytesIO() as file:
        memory.check_room(WHILE_WRITTEN * nbytes, "to write this file", budget.drop_one)
        write(file)
        return file.getvalue()
