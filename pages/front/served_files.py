"""The files that this server makes: of pictures and runs, and those that its pages offer by plain links.

They are made on threads of their own, a share of them for each visitor.
"""

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from pages.front.headers import PRIVATE
from pages.front.request_fields import RefusedError
from pages.front.visitors import Makers
from pages.front.visitors import visitor as visitor_of
from pages.ui.server import file_links
from pages.ui.server.file_links import Offer

GONE = "No page offers this file any more: load the page again, and follow its link."
MANY = "Many files are on their way now. Try again in a moment."
MOST_ON_THE_WAY = 200_000_000  # bytes of all files that are being sent
SECONDS = 300.0  # in which a file is sent


@dataclass(frozen=True)
class File:
    """A file: its name, its type and what is in it, compressed."""

    name: str
    type: str
    packed: bytes


class Links:
    """Answers links to files; it makes few at one time, and holds no more bytes of them than it may."""

    def __init__(self) -> None:
        self.makers = Makers("links")
        self.on_the_way = 0

    async def answer(self, request: Request) -> Response:
        """Make the file of a link, as its page shows it."""
        offer = file_links.find(str(request.path_params["link"]))
        try:
            if offer is None:
                raise RefusedError(404, GONE)
            content = await self.makers.begin(visitor_of(request), offer.make)
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
