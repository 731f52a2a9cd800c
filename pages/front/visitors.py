"""Who asks: a page of this app or another one, from which address; what trusted proxies name is believed."""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from encoder.support.errors import EncoderError

LOCAL = "127.0.0.1"
LONGEST = 64  # characters of an address
Networks = Sequence[IPv4Network | IPv6Network]


def is_own(headers: Mapping[str, str]) -> bool:
    """Whether a page of this app asks, or a program that is no browser; never a page of another origin."""
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
    """The address that asks, as far as proxies are to be believed."""
    named = [name.strip() for name in request.headers.get("X-Forwarded-For", "").split(",") if name.strip()]
    return address(request.client.host if request.client else LOCAL, named, proxies())


def address(peer: str, named: Sequence[str], trusted: Networks) -> str:
    """The address that asks, where `peer` has the connection and proxies named these, the last one the nearest.

    Each proxy names who asked it, so the chain is believed from its end, for as long as trusted proxies wrote it. The
    web server takes over what anybody on its own machine names: then `peer` is the last of the chain.
    """
    if named and peer == named[-1]:
        peer = LOCAL
    for name in reversed(named):
        if not within(peer, trusted):
            break
        peer = name
    return peer[:LONGEST]


def within(peer: str, networks: Networks) -> bool:
    """Whether an address is of one of the networks; what is no address is of none."""
    try:
        return any(ip_address(peer) in network for network in networks)
    except ValueError:
        return False


@cache
def proxies() -> Networks:
    """The proxies that ENCODER_TRUSTED_PROXIES names: addresses or networks, with commas between them.

    Raises:
        EncoderError: it names something else.
    """
    texts = [text.strip() for text in os.environ.get("ENCODER_TRUSTED_PROXIES", "").split(",")]
    try:
        return tuple(ip_network(text) for text in texts if text)
    except ValueError as error:
        raise EncoderError(f"ENCODER_TRUSTED_PROXIES holds what is no address and no network: {error}") from None
