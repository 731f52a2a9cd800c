"""Screens of a class without a browser: each has the line that a browser has, and asks what one asks."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import websockets

TIMEOUT = 60.0  # seconds


async def post(url: str, route: str, **said: Any) -> dict[str, Any]:
    """What the server answers to what a screen asks."""
    at, body = urlsplit(url), json.dumps(said).encode()
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    head = [
        f"POST /api/class/{route} HTTP/1.1",
        f"Host: {at.netloc}",
        f"Origin: {url}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    answer = await asyncio.wait_for(reader.read(), TIMEOUT)
    writer.close()
    said_, _, text = answer.partition(b"\r\n\r\n")
    if b" 200 " not in said_.split(b"\r\n")[0]:
        raise RuntimeError(f"{route}: {answer[:500]!r}")
    done: dict[str, Any] = json.loads(text)
    return done


@dataclass
class Follower:
    """One screen of a class: its seat, what it is told, and when the newest part of it came."""

    url: str
    seat: str
    parts: dict[str, Any] = field(default_factory=dict)
    came: float = 0.0
    broken: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def shown(self) -> int:
        """The number of what the class shows."""
        return int(self.parts.get("class", {}).get("shown", {}).get("number", 0))

    @property
    def phase(self) -> str:
        """How far the question is; empty where none is asked."""
        return str((self.parts.get("class", {}).get("asked") or {}).get("phase", ""))

    async def ask(self, route: str, **said: Any) -> dict[str, Any]:
        """What the server answers to this screen."""
        return await post(self.url, route, seat=self.seat, **said)

    async def listen(self, line: websockets.ClientConnection) -> None:
        """Take what comes until the screen is closed."""
        async for text in line:
            part = json.loads(text)
            if part.get("away") or part.get("over"):
                self.broken.append(str(part))
            async with self.news:
                self.parts |= part
                self.came = perf_counter() if "class" in part else self.came
                self.news.notify_all()

    async def until(self, true: Callable[["Follower"], object]) -> None:
        """Wait for something that comes."""
        async with asyncio.timeout(TIMEOUT), self.news:
            await self.news.wait_for(lambda: true(self))


@contextlib.asynccontextmanager
async def follow(url: str, seat: str) -> AsyncIterator[Follower]:
    """A screen that has this seat."""
    address = f"{url.replace('http', 'ws', 1)}/api/class/events"
    async with websockets.connect(address, origin=url) as line:  # type: ignore[arg-type]
        await line.send(json.dumps({"seat": seat}))
        screen = Follower(url, seat)
        listening = asyncio.create_task(screen.listen(line))
        await screen.until(lambda one: "class" in one.parts)
        try:
            yield screen
        finally:
            listening.cancel()
