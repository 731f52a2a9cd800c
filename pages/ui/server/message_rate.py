"""How fast an open page is heard: so many messages a second of a page, and of all pages of a visitor; others wait."""

import asyncio
from collections.abc import Callable
from time import monotonic
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

OF_PAGE = (10.0, 30.0)  # messages a second for long, and at once; a person sends one or two
OF_VISITOR = (40.0, 150.0)  # a school may have one address


class Rate:
    """Messages that may come at once, and then so many a second."""

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = monotonic) -> None:
        self.a_second, self.at_once, self.clock = a_second, at_once, clock
        self.left, self.at = at_once, clock()

    def wait(self) -> float:
        """Count a message, and return the seconds that it has to wait."""
        now = self.clock()
        self.left = min(self.at_once, self.left + (now - self.at) * self.a_second) - 1
        self.at = now
        return max(0.0, -self.left / self.a_second)


class MessageRate:
    """Passes requests on; the messages of an open page come no faster than it may send them.

    What waits is not read from the network, so that nothing piles up here.

    Args:
        app: what answers.
        who: the visitor who asks.
    """

    def __init__(self, app: ASGIApp, who: Callable[[HTTPConnection], str]) -> None:
        self.app, self.who = app, who
        self.of_visitor: WeakValueDictionary[str, Rate] = WeakValueDictionary()  # as long as a page of his is open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one line to its end."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        visitor = self.who(HTTPConnection(scope))
        all_pages = self.of_visitor.setdefault(visitor, Rate(*OF_VISITOR))
        rates = (Rate(*OF_PAGE), all_pages)

        async def heard() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and (seconds := max(rate.wait() for rate in rates)) > 0:
                await asyncio.sleep(seconds)
            return message

        await self.app(scope, heard, send)
