"""Which address asks: what a proxy names is believed from those proxies alone that the server was told of."""

import os
from collections.abc import Sequence
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from encoder.support.errors import EncoderError

LOCAL = "127.0.0.1"
LONGEST = 64  # characters of an address
Networks = Sequence[IPv4Network | IPv6Network]


def address(peer: str, named: Sequence[str], trusted: Networks) -> str:
    """The address that asks, where `peer` has the connection and proxies named these, the last one the nearest.

    Each proxy names who asked it, so the chain is believed from its end, for as long as trusted proxies wrote it. The
    web server takes over what anybody on its own machine names: then `peer` is the last of the chain.
    """
    if named and peer == named[-1]:
        peer = LOCAL
    for one in reversed(named):
        if not within(peer, trusted):
            break
        peer = one
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
    texts = [one.strip() for one in os.environ.get("ENCODER_TRUSTED_PROXIES", "").split(",")]
    try:
        return tuple(ip_network(one) for one in texts if one)
    except ValueError as error:
        raise EncoderError(f"ENCODER_TRUSTED_PROXIES holds what is no address and no network: {error}") from None
