"""The packets of this server: those that are shipped, and others, made once for all who ask and kept compressed."""

import asyncio
import gzip
import hashlib
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from encoder.packet.shipped import SENTENCES, path_of
from pages.front.asked import Asked, RefusedError
from pages.ui.server.redirects import base

AT_ONCE = 2  # threads that make packets, apart from those that Streamlit answers with
MOST_BYTES = 32_000_000  # of packets that are kept, compressed: some 300 runs of a dozen tokens in base
MOST_WAITING = 96  # different packets that are waited for
MOST_OF_ONE = 32  # of them by one address, behind which a whole class may sit
LEVEL = 6  # of compression
FULL = "Many runs are being made on this server now. Try again in a moment."
YOUR_SHARE = "Many runs were asked for from your network just now. Try again in a moment."


def compress(data: bytes) -> bytes:
    """As it is sent to browsers that can unpack it, which all can; always the same bytes for the same packet."""
    return gzip.compress(data, LEVEL, mtime=0)


@dataclass(frozen=True)
class Shelf:
    """What is shipped: the digest of all, and each packet compressed, in the order of SENTENCES."""

    digest: str
    packed: tuple[bytes, ...]

    def addresses(self) -> tuple[tuple[str, str], ...]:
        """Each sentence with where its packet is."""
        return tuple(
            (sentence, f"{base()}/api/shipped/{self.digest}/{i}.packet") for i, sentence in enumerate(SENTENCES)
        )


@cache
def shelf() -> Shelf:
    """Read what is shipped, without what draws or computes: a server that was just started answers with it at once."""
    packets = [path_of(sentence).read_bytes() for sentence in SENTENCES]
    digest = hashlib.sha256(b"".join(hashlib.sha256(packet).digest() for packet in packets)).hexdigest()[:16]
    return Shelf(digest, tuple(gzip.compress(packet, 9, mtime=0) for packet in packets))


class Kept:
    """The packets used last, compressed, together of so many bytes at most."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes, self.held = most_bytes, 0
        self.packets: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, key: Hashable) -> bytes | None:
        """The packet of a key, if it is kept."""
        packet = self.packets.get(key)
        if packet is not None:
            self.packets.move_to_end(key)
        return packet

    def put(self, key: Hashable, packet: bytes) -> None:
        """Keep a packet; those that were used longest ago go for it, and one that is too large is not kept."""
        if key in self.packets:
            self.held -= len(self.packets.pop(key))
        if len(packet) > self.most_bytes:
            return
        self.packets[key] = packet
        self.held += len(packet)
        while self.held > self.most_bytes:
            self.held -= len(self.packets.popitem(last=False)[1])


@dataclass(frozen=True)
class Made:
    """A packet, compressed, and what pins the weights that it was made with."""

    packet: bytes
    pinned: str | None


def usual_maker(asked: Asked) -> Made:
    """Wait until the libraries are there, and make the packet."""
    from pages.ui.frame import start

    start.load()
    from pages.front import make

    data = make.packet(asked)
    return Made(compress(data), make.pinned(asked.model))


def usual_pin(name: str) -> str | None:
    """What pins the weights of a model that is at hand; nothing is loaded to know it."""
    make = sys.modules.get("pages.front.make")
    pin: str | None = make.pinned(name) if make is not None and hasattr(make, "pinned") else None
    return pin


class Packets:
    """Makes packets, at most so many at once, and keeps them; who asks for what is being made waits for the same.

    A visitor may wait for so many different ones; the others may still be asked for by others.

    Args:
        make: makes one, on a thread of its own.
        pin: what pins the weights of a model that is at hand, else None.
    """

    def __init__(
        self, make: Callable[[Asked], Made] = usual_maker, pin: Callable[[str], str | None] = usual_pin
    ) -> None:
        self.make, self.pin = make, pin
        self.kept = Kept()
        self.coming: dict[Asked, asyncio.Task[bytes]] = {}
        self.waiting: Counter[str] = Counter()  # different packets by the visitor who asked first
        self.made = 0
        self.threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="packets")

    async def get(self, asked: Asked, visitor: str) -> bytes:
        """The packet, compressed.

        Raises:
            RefusedError: it cannot be made, or too many are waited for.
        """
        pinned = self.pin(asked.model)
        if pinned is not None and (packet := self.kept.get((pinned, asked))) is not None:
            return packet
        task = self.coming.get(asked)
        if task is None:
            if len(self.coming) >= MOST_WAITING:
                raise RefusedError(503, FULL, 2)
            if self.waiting[visitor] >= MOST_OF_ONE:
                raise RefusedError(429, YOUR_SHARE, 1)
            self.waiting[visitor] += 1
            task = self.coming[asked] = asyncio.create_task(self.come(asked))
            task.add_done_callback(lambda done: self.came(asked, visitor, done))
        return await asyncio.shield(task)  # who leaves does not end it for the others

    async def come(self, asked: Asked) -> bytes:
        """Make a packet on one of the threads, and keep it."""
        made = await asyncio.get_running_loop().run_in_executor(self.threads, self.make, asked)
        self.made += 1
        if made.pinned is not None:
            self.kept.put((made.pinned, asked), made.packet)
        return made.packet

    def came(self, asked: Asked, visitor: str, task: asyncio.Task[bytes]) -> None:
        """It was made, or could not be; nobody may be left who waits for it."""
        del self.coming[asked]
        self.waiting[visitor] -= 1
        if not self.waiting[visitor]:
            del self.waiting[visitor]
        if not task.cancelled():
            task.exception()  # was told to those who waited
