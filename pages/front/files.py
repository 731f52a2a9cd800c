"""The files of pictures that this server makes: on threads of their own, a share of them for each visitor."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from pages.front.asked import AskedFile
from pages.front.file import File
from pages.front.packets import FULL, MOST_OF_ONE, MOST_WAITING, YOUR_SHARE
from pages.front.refused import RefusedError

A = TypeVar("A")
F = TypeVar("F")
AT_ONCE = 2  # threads that make files, apart from those that make packets


def usual_maker(asked: AskedFile) -> File:
    """Wait until the libraries are there, and make the file."""
    from pages.ui.frame import start

    start.load()
    from pages.front.make_file import file

    return file(asked)


class Files(Generic[A, F]):
    """Makes files, so many at once; a visitor may wait for so many, and all together for so many.

    Args:
        make: makes one, on a thread of its own.
    """

    def __init__(self, make: Callable[[A], F]) -> None:
        self.make = make
        self.waiting: Counter[str] = Counter()  # files by the visitor who asked; one who leaves waits for none
        self.threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="files")

    async def get(self, asked: A, visitor: str) -> F:
        """The file.

        Raises:
            RefusedError: it cannot be made, or too many are waited for.
        """
        if self.waiting.total() >= MOST_WAITING:
            raise RefusedError(503, FULL, 2)
        if self.waiting[visitor] >= MOST_OF_ONE:
            raise RefusedError(429, YOUR_SHARE, 1)
        self.waiting[visitor] += 1
        coming = self.threads.submit(self.make, asked)
        try:
            return await asyncio.wrap_future(coming)  # who leaves takes back what is not begun
        finally:
            self.waiting[visitor] -= 1
            self.waiting += Counter()  # names no visitor who waits for nothing
