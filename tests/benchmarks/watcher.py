"""A running server under watch: its memory, how long /_stcore/health takes, and what another visitor waits for."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from time import perf_counter
from urllib.parse import urlsplit

from servers import Server
from visitors import Visitor, sentence, visit

EVERY = 0.05  # seconds between two looks at the memory
THINK = 0.4  # seconds between two clicks of the other visitor


@dataclass
class Seen:
    """What was seen of a server: megabytes before, at the most and over the seconds, and seconds of every answer."""

    before: float = 0.0
    peak: float = 0.0
    health: list[float] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    curve: list[tuple[float, float]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


async def memory(server: Server, seen: Seen) -> None:
    """Look at the memory until cancelled."""
    start = perf_counter()
    while True:
        now = server.megabytes
        seen.peak = max(seen.peak, now)
        seen.curve.append((perf_counter() - start, now))
        await asyncio.sleep(EVERY)


async def health(server: Server, seen: Seen) -> None:
    """Ask whether the server is well, over and over, and note how long the answer takes."""
    place = urlsplit(server.url)
    while True:
        start = perf_counter()
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        with contextlib.closing(writer):
            writer.write(f"GET /_stcore/health HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
        seen.health.append(perf_counter() - start)
        if b" 200 " not in answer[:20]:
            seen.broken.append(f"health: {answer[:60]!r}")
        await asyncio.sleep(EVERY)


async def other(visitor: Visitor, seen: Seen) -> None:
    """Somebody who types short sentences and chooses heads meanwhile."""
    draw = random.Random(1)
    while True:
        key, value = draw.choice([("sentence", sentence(draw)), ("head", str(draw.randrange(8)))])
        seen.clicks.append(await visitor.choose(key, value))
        await asyncio.sleep(THINK)


@contextlib.asynccontextmanager
async def watched(server: Server) -> AsyncIterator[Seen]:
    """Watch a server for the block; what went wrong with the other visitor is in `broken`."""
    seen = Seen(before=server.megabytes)
    async with visit(server.url) as visitor:
        tasks = [asyncio.create_task(one) for one in (memory(server, seen), health(server, seen), other(visitor, seen))]
        try:
            yield seen
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            seen.broken += [repr(one) for one in ended if not isinstance(one, asyncio.CancelledError)]
            seen.broken += visitor.broken


async def back_to(server: Server, megabytes: float, seconds: float) -> float:
    """Wait until the server holds no more than that, at most so long; returns what it holds."""
    end = perf_counter() + seconds
    while server.megabytes > megabytes and perf_counter() < end:
        await asyncio.sleep(EVERY)
    return server.megabytes
