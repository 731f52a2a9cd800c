"""The files that this server makes: of pictures and runs, and those that its pages offer by plain links.

They are made on threads of their own, a share of them for each visitor.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from pages.front.asked import RefusedError
from pages.front.headers import PRIVATE
from pages.front.packets import FULL, MOST_OF_ONE, MOST_WAITING, YOUR_SHARE
from pages.front.visitors import visitor as visitor_of
from pages.ui.server import file_links
from pages.ui.server.file_links import Offer

A = TypeVar("A")
F = TypeVar("F")
GONE = "No page offers this file any more: load the page again, and follow its link."
MANY = "Many files are on their way now. Try again in a moment."
MOST_ON_THE_WAY = 200_000_000  # bytes of all files that are being sent
SECONDS = 300.0  # in which a file is sent
AT_ONCE = 2  # threads that make files, apart from those that make packets


@dataclass(frozen=True)
class File:
    """A file: its name, its type and what is in it, compressed."""

    name: str
    type: str
    packed: bytes


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


class Links:
    """Answers links to files; it makes few at one time, and holds no more bytes of them than it may."""

    def __init__(self) -> None:
        self.files = Files[Offer, bytes](lambda offer: offer.make())
        self.on_the_way = 0

    async def answer(self, request: Request) -> Response:
        """Make the file of a link, as its page shows it."""
        offer = file_links.find(str(request.path_params["link"]))
        try:
            if offer is None:
                raise RefusedError(404, GONE)
            content = await self.files.get(offer, visitor_of(request))
            if self.on_the_way and self.on_the_way + len(content) > MOST_ON_THE_WAY:
                raise RefusedError(503, MANY, 5)
        except RefusedError as error:
            after = {"Retry-After": str(error.after)} if error.after else {}
            return PlainTextResponse(error.message, error.status, {"Cache-Control": PRIVATE} | after)
        return Held(self, offer, content)


class Held(Response):
    """A file that is counted until it is sent."""

    def __init__(self, links: Links, offer: Offer, content: bytes) -> None:
        name = offer.name.replace('"', "")
        headers = {"Cache-Control": PRIVATE, "X-Content-Type-Options": "nosniff"}
        super().__init__(
            content, headers=headers | {"Content-Disposition": f'attachment; filename="{name}"'}, media_type=offer.type
        )
        self.links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, in so many seconds."""
        self.links.on_the_way += len(self.body)
        try:
            await asyncio.wait_for(super().__call__(scope, receive, send), SECONDS)
        finally:
            self.links.on_the_way -= len(self.body)
