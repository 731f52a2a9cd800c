"""The connections of this server: what comes and goes stalls for no longer than so, and one address holds only so many.

uvicorn has a time limit between two requests, and none for the head of one or for who does not read what was asked for.
"""

from asyncio import BaseTransport, get_running_loop
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages.front.visitors import proxies, unmapped, within

SECONDS = 10.0  # between two looks at a connection; one that stalled from one look to the next is closed
FEW = 1000  # connections that a server holds whoever has them
MOST_OF_ONE = 2000  # of one address, where they are more; a class of thirty has some two hundred
LATE = (408, "Request Timeout", "The request came too slowly. Try again.")
MANY = (503, "Service Unavailable", "Your network holds many connections to this server. Try again in a moment.")


def watch() -> None:
    """Have this process look after each connection that its web server takes."""
    accept: Any = AutoHTTPProtocol.connection_made
    if getattr(accept, "watches", False):
        return

    def connection_made(protocol: Any, transport: BaseTransport) -> None:
        accept(protocol, transport)
        if has_many(protocol):
            end(protocol, MANY)
        else:
            get_running_loop().call_later(SECONDS, look, protocol, protocol, 0)

    connection_made.watches = True  # type: ignore[attr-defined]
    AutoHTTPProtocol.connection_made = connection_made  # type: ignore[method-assign, assignment]


def has_many(protocol: Any) -> bool:
    """Return whether the address at the other end holds all that one may; proxies that are named have many visitors."""
    if len(protocol.connections) <= FEW or protocol.client is None:
        return False
    peer = protocol.client[0]
    held = sum(each.client is not None and each.client[0] == peer for each in protocol.connections)
    return held > MOST_OF_ONE and not within(unmapped(peer), proxies())


def look(protocol: Any, request: Any, unsent: int) -> None:
    """Close a connection where nothing has come or gone since `request` was its last one, and `unsent` bytes waited."""
    if protocol.transport.is_closing() or protocol not in protocol.connections:  # or it is an open page's line by now
        return
    now: Any = protocol.cycle or protocol
    left = protocol.transport.get_write_buffer_size()
    if left and left == unsent and now is request:
        protocol.transport.abort()
    elif not left and now is request and (protocol.cycle is None or now.response_complete):
        end(protocol, LATE)
    else:
        get_running_loop().call_later(SECONDS, look, protocol, now, left)


def end(protocol: Any, answer: tuple[int, str, str]) -> None:
    """Close a connection on which nothing is being answered, with a sentence."""
    status, phrase, words = answer
    head = f"HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(words)}"
    protocol.transport.write(f"{head}\r\nConnection: close\r\n\r\n{words}".encode())
    protocol.transport.close()
