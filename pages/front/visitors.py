"""Who asks, a page of this app or another one, from which address, and the share that each has of what is made here.

What trusted proxies name is believed.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, HTTPConnection, Request

from encoder.support.errors import EncoderError
from pages.front.request_fields import RefusedError
from pages.ui.server.lane import Lane

LOCAL = "127.0.0.1"
LONGEST = 64  # characters of an address
OF_IPV6 = 64  # bits of an address of IPv6 that say whose it is
Networks = Sequence[IPv4Network | IPv6Network]
AT_ONCE = 2  # short jobs of each kind at work, on threads apart from those that Streamlit answers with
MOST_WAITING = 96  # things that are waited for
MOST_OF_ONE = 32  # of them by one address, behind which a whole class may sit
FULL = "Many runs are being made on this server now. Try again in a moment."
YOUR_SHARE = "Many runs were asked for from your network just now. Try again in a moment."
READING = "Large texts of others are being read just now. Try again in a moment."
T = TypeVar("T")


class Makers:
    """Makes what visitors wait for: so much at once, a share for each, and no more than so much together.

    Args:
        name: of the threads.
        most_of_one: what one visitor may wait for.
        your_share: what is said to who waits for so many.
    """

    def __init__(self, name: str, most_of_one: int = MOST_OF_ONE, your_share: str = YOUR_SHARE) -> None:
        self.most_of_one, self.your_share = most_of_one, your_share
        self.waiting: Counter[str] = Counter()  # by the visitor who asked; one who leaves waits for nothing
        self.lane = Lane(name, AT_ONCE, MOST_WAITING)

    def begin(self, visitor: str, make: Callable[..., T], *given: object) -> asyncio.Future[T]:
        """Have something made, by visitor in turn; it ends when who waits for it cancels it.

        Raises:
            RefusedError: too many are waited for.
        """
        if self.waiting.total() >= MOST_WAITING:
            raise RefusedError(503, FULL, 2)
        if self.waiting[visitor] >= self.most_of_one:
            raise RefusedError(429, self.your_share, 1)
        self.waiting[visitor] += 1
        coming: asyncio.Future[T] = asyncio.wrap_future(self.lane.begin(visitor, make, *given))
        coming.add_done_callback(lambda done: self.end(visitor))
        return coming

    def end(self, visitor: str) -> None:
        """It was made, or could not be, or nobody waits for it any more."""
        self.waiting[visitor] -= 1
        self.waiting += Counter()  # names no visitor who waits for nothing


class Few:
    """Places of which there are few, and fewer for one visitor."""

    def __init__(self, most: int = 8, most_of_one: int = 2) -> None:
        self.most, self.most_of_one = most, most_of_one
        self.taken = Counter[str]()

    def take(self, visitor: str) -> ExitStack:
        """Return a place, which its `close` gives back.

        Raises:
            RefusedError: all are taken, or as many as a visitor may have.
        """
        if self.taken.total() >= self.most or self.taken[visitor] >= self.most_of_one:
            raise RefusedError(503, READING, 2)
        self.taken[visitor] += 1
        place = ExitStack()
        place.callback(self.give_back, visitor)
        return place

    def give_back(self, visitor: str) -> None:
        """Take back a place."""
        self.taken[visitor] -= 1
        self.taken += Counter()  # names no visitor who has none


async def unless_left(request: Request, coming: Awaitable[T]) -> T:
    """Wait for what comes, and end it where who asked has left meanwhile.

    Raises:
        ClientDisconnect: nobody waits any more.
    """
    wanted, leaving = asyncio.ensure_future(coming), asyncio.ensure_future(request.receive())  # the body is read
    try:
        await asyncio.wait({wanted, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not wanted.done():
            raise ClientDisconnect
        return await wanted
    finally:
        wanted.cancel()
        leaving.cancel()


def is_own(headers: Mapping[str, str]) -> bool:
    """Return whether a page of this app asks, or a program that is no browser; never a page of another origin."""
    site = headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        return False
    origin = headers.get("Origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("Host", "").lower() != ""
    except ValueError:
        return False


def visitor(request: HTTPConnection) -> str:
    """Return the address that asks, as far as proxies are to be believed; of IPv6 the network of 64 bits."""
    lines = request.headers.getlist("X-Forwarded-For")
    named = [name.strip() for line in lines for name in line.split(",") if name.strip()]
    return address(request.client.host if request.client else LOCAL, named, proxies())


def address(peer: str, named: Sequence[str], trusted: Networks) -> str:
    """Return the address that asks, where `peer` has the connection and proxies named these, the last one the nearest.

    Each proxy names who asked it, so the chain is believed from its end, for as long as trusted proxies wrote it. The
    web server takes over what anybody on its own machine names: then `peer` is the last of the chain that is not that
    machine, or the first where all are.
    """
    peer, chain = unmapped(peer), [unmapped(name) for name in named]
    if chain and peer == next((name for name in reversed(chain) if name != LOCAL), chain[0]):
        peer = LOCAL
    for name in reversed(chain):
        if not within(peer, trusted):
            break
        peer = name
    return counted(peer)[:LONGEST]


def unmapped(name: str) -> str:
    """Return an address without its port, and one of IPv4 spelled in IPv6 as itself; any other text as it is."""
    host = name.partition("]")[0].removeprefix("[") if name.startswith("[") else name
    host = host.partition(":")[0] if host.count(":") == 1 else host
    try:
        parsed = ip_address(host)
    except ValueError:
        return name
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def counted(name: str) -> str:
    """Return what requests of an address are counted by: who has one address of IPv6 mostly has all of its network."""
    try:
        parsed = ip_address(name)
    except ValueError:
        return name
    return name if parsed.version == 4 else str(ip_network((parsed, OF_IPV6), strict=False))


def within(peer: str, networks: Networks) -> bool:
    """Return whether an address is of one of the networks; what is no address is of none."""
    try:
        return any(ip_address(peer) in network for network in networks)
    except ValueError:
        return False


@cache
def proxies() -> Networks:
    """Return the proxies that ENCODER_TRUSTED_PROXIES names: addresses or networks, with commas between them.

    Raises:
        EncoderError: it names something else.
    """
    texts = [text.strip() for text in os.environ.get("ENCODER_TRUSTED_PROXIES", "").split(",")]
    try:
        return tuple(ip_network(text) for text in texts if text)
    except ValueError as error:
        raise EncoderError(
            f"ENCODER_TRUSTED_PROXIES holds something that is neither an address nor a network: {error}"
        ) from None
