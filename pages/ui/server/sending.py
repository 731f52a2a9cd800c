"""How many files browsers may send at one time: each is held in memory until it is there, however slowly it comes.

Streamlit bounds the size of one file, and `inside.bound_uploads` what is kept of those that have come.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_AT_ONCE = 32  # files that come, each of 1 MB at most (server.maxUploadSize)
SECONDS = 30.0  # for one file
BUSY = "Many files are being sent to this server now; send this one again in a moment."


class SendingBound:
    """Passes requests on, of those that send a file only so many at one time, and each for so long.

    What is below the address `apart` sends no files, and has bounds of its own.
    """

    def __init__(self, app: ASGIApp, apart: str = "") -> None:
        self.app, self.apart = app, apart
        self.coming = 0

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request. What sends no file is handed on as it is: no error in it has passed through here."""
        sends = scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS")
        sends = sends and not (self.apart and scope["path"].startswith(self.apart))
        return (self.answer if sends else self.app)(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request that sends a file."""
        if self.coming >= MOST_AT_ONCE:
            await PlainTextResponse(BUSY, 503, {"Retry-After": "5", "Connection": "close"})(scope, receive, send)
            return
        self.coming += 1
        try:
            with suppress(ClientDisconnect):  # the browser left, so nobody waits for an answer
                await asyncio.wait_for(self.app(scope, receive, send), SECONDS)
        except TimeoutError:
            await PlainTextResponse("The file came too slowly.", 408, {"Connection": "close"})(scope, receive, send)
        finally:
            self.coming -= 1
