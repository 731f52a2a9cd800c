"""The packets of this server: those that are shipped, and others, made once for all who ask and kept compressed."""

import asyncio
import gzip
import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import cachetools

from encoder.packet.shipped import SENTENCES, path_of
from pages.front.request_fields import RunRequest
from pages.front.visitors import Makers
from pages.ui.state.site import base

MOST_BYTES = 32_000_000  # of packets that are kept, compressed: some 300 runs of a dozen tokens in base
LEVEL = 6  # of compression


def compress(data: bytes) -> bytes:
    """As it is sent to browsers that can unpack it, which all can; always the same bytes for the same packet."""
    return gzip.compress(data, LEVEL, mtime=0)


@dataclass(frozen=True)
class Shelf:
    """What is shipped: the digest of all, and each packet compressed, in the order of SENTENCES."""

    digest: str
    packed: tuple[bytes, ...]

    def addresses(self) -> tuple[tuple[str, str], ...]:
        """Return each sentence with where its packet is."""
        return tuple(
            (sentence, f"{base()}/api/shipped/{self.digest}/{i}.packet") for i, sentence in enumerate(SENTENCES)
        )


@cache
def shelf() -> Shelf:
    """Read what is shipped, without what draws or computes: a server that was just started answers with it at once."""
    packets = [path_of(sentence).read_bytes() for sentence in SENTENCES]
    digest = hashlib.sha256(b"".join(hashlib.sha256(packet).digest() for packet in packets)).hexdigest()[:16]
    return Shelf(digest, tuple(gzip.compress(packet, 9, mtime=0) for packet in packets))


@dataclass(frozen=True)
class PinnedPacket:
    """A packet, compressed, and what pins the weights that it was made with."""

    packet: bytes
    pinned: str | None


def usual_maker(request: RunRequest) -> PinnedPacket:
    """Wait until the libraries are there, and make the packet."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front import make

    data = make.packet(request)
    return PinnedPacket(compress(data), make.pinned(request.model))


def usual_pin(name: str) -> str | None:
    """Return what pins the weights of a model that is at hand; nothing is loaded to know it."""
    make = sys.modules.get("pages.front.make")
    pin: str | None = make.pinned(name) if make is not None and hasattr(make, "pinned") else None
    return pin


@dataclass
class Expected:
    """A packet in the making, and how many wait for it."""

    task: asyncio.Task[bytes]
    waiting: int = 0


class Packets:
    """Makes packets and keeps those used last; who asks for what is being made waits for the same.

    A visitor may wait for so many different ones; the others may still be asked for by others. What nobody waits for
    any more ends.

    Args:
        make: makes one, on a thread of its own.
        pin: what pins the weights of a model that is at hand, else None.
        most_bytes: what all that are kept may take, compressed.
    """

    def __init__(
        self,
        make: Callable[[RunRequest], PinnedPacket] = usual_maker,
        pin: Callable[[str], str | None] = usual_pin,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.make, self.pin = make, pin
        self.kept = cachetools.LRUCache[tuple[str, RunRequest], bytes](most_bytes, len)
        self.coming: dict[RunRequest, Expected] = {}
        self.makers = Makers("packets")  # what is counted are different packets, for the visitor who asked first
        self.made_count = 0

    async def get(self, request: RunRequest, visitor: str) -> bytes:
        """Return the packet, compressed.

        Raises:
            RefusedError: it cannot be made, or too many are waited for.
        """
        pinned = self.pin(request.model)
        if pinned is not None and (packet := self.kept.get((pinned, request))) is not None:
            return packet
        expected = self.coming.get(request)
        if expected is None:
            coming = self.makers.begin(visitor, self.make, request)
            expected = self.coming[request] = Expected(asyncio.create_task(self.come(request, coming)))
            expected.task.add_done_callback(lambda done: done.cancelled() or done.exception())  # who waited may be gone
        expected.waiting += 1
        try:
            return await asyncio.shield(expected.task)  # who leaves does not end it for the others
        finally:
            expected.waiting -= 1
            if not expected.waiting:
                del self.coming[request]  # the next who asks has it made anew, or finds it among what is kept
                expected.task.cancel()

    async def come(self, request: RunRequest, coming: asyncio.Future[PinnedPacket]) -> bytes:
        """Keep a packet as soon as it is made."""
        new = await coming
        self.made_count += 1
        if new.pinned is not None:
            with suppress(ValueError):  # it is too large to be kept
                self.kept[new.pinned, request] = new.packet
        return new.packet
