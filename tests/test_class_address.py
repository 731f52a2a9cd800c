"""Which address is counted when codes are tried: a header is believed from the proxies that the server was told of."""

from ipaddress import ip_network

import pytest

from pages.ui.classroom.address import LONGEST, address

PROXY, OTHER = "10.0.0.1", "10.0.0.2"


@pytest.mark.parametrize(
    ("peer", "named", "trusted", "found"),
    [
        ("203.0.113.5", [], [], "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.7"], [], "203.0.113.5"),  # nobody is believed who was not named
        ("203.0.113.5", ["198.51.100.7"], [PROXY], "203.0.113.5"),
        (PROXY, ["198.51.100.7"], [PROXY], "198.51.100.7"),
        (PROXY, ["made up", "198.51.100.7"], [PROXY], "198.51.100.7"),
        (PROXY, ["made up", "198.51.100.7", OTHER], ["10.0.0.0/30"], "198.51.100.7"),  # two proxies in a row
        (PROXY, ["198.51.100.7", OTHER], [PROXY], OTHER),
        (PROXY, [], [PROXY], PROXY),
        # The web server takes over what is named on its own machine; that is undone where no proxy is trusted there.
        ("198.51.100.7", ["198.51.100.7"], [], "127.0.0.1"),
        ("198.51.100.7", ["made up", "198.51.100.7"], ["127.0.0.1"], "198.51.100.7"),
        ("203.0.113.5", ["203.0.113.5", "made up"], ["127.0.0.1"], "203.0.113.5"),
        ("2001:db8::7", ["::1"], ["127.0.0.1"], "2001:db8::7"),
        (PROXY, ["x" * 5000], [PROXY], "x" * LONGEST),
    ],
)
def test_an_address_is_believed_as_far_as_trusted_proxies_name_it(
    peer: str, named: list[str], trusted: list[str], found: str
) -> None:
    assert address(peer, named, [ip_network(one) for one in trusted]) == found
