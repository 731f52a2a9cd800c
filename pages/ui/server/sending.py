"""How many files browsers may send: at one time, since each is held until it is there, and so that all are kept.

Streamlit bounds the size of one file, and not their number.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_AT_ONCE = 32  # files that come, each of 1 MB at most (server.maxUploadSize)
SECONDS = 30.0  # for one file
MOST_OF_ONE = 2  # files that are kept of a session
MOST_BYTES = 30_000_000  # of all that are kept
UPLOAD = "/_stcore/upload_file/"  # and then the session, and the file
BUSY = "Many files are being sent to this server now; send this one again in a moment."


class SendingBound:
    """Passes requests on, of those that send a file only so many at one time, and each for so long; the oldest go.

    What is below the address `apart` sends no files, and has bounds of its own.
    """

    def __init__(self, app: ASGIApp, apart: str = "") -> None:
        self.app, self.apart = app, apart
        self.coming = 0
        self.kept: dict[str, int] = {}  # bytes that came, by the address they were sent to, the oldest first

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
                await asyncio.wait_for(self.take(scope, receive, send), SECONDS)
        except TimeoutError:
            await PlainTextResponse("The file came too slowly.", 408, {"Connection": "close"})(scope, receive, send)
        finally:
            self.coming -= 1

    async def take(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a file on, and have Streamlit let go of older ones where too many are kept."""
        sent, status, asked = 0, 0, dict(scope)

        async def counted() -> Message:
            nonlocal sent
            message = await receive()
            sent += len(message.get("body", b""))
            return message

        async def heard(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        await self.app(scope, counted, heard)
        if UPLOAD not in scope["path"] or not 200 <= status < 300:
            return
        self.kept.pop(scope["path"], None)
        if scope["method"] == "PUT":
            self.kept[scope["path"]] = sent
            for path in self.too_many(scope["path"].rpartition("/")[0]):
                del self.kept[path]
                gone = {"method": "DELETE", "path": path, "raw_path": path.encode()}
                await self.app(asked | gone, nothing, unheard)

    def too_many(self, session: str) -> list[str]:
        """Return the files to let go of when a session, by its address, has sent one more."""
        gone = [path for path in self.kept if path.startswith(f"{session}/")][:-MOST_OF_ONE]
        held = sum(self.kept.values()) - sum(self.kept[path] for path in gone)
        for path in [path for path in self.kept if path not in gone][:-1]:
            if held <= MOST_BYTES:
                break
            held -= self.kept[path]
            gone.append(path)
        return gone


async def nothing() -> Message:
    """Return the body of a request that has none."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def unheard(message: Message) -> None:
    """Take an answer that nobody waits for."""
