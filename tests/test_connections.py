"""Connections on which nothing comes or goes end, and one address holds only so many; who reads slowly stays."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages.front import connections, visitors

SOON = 0.4  # seconds between two looks
LARGE = 30_000_000
ASK = b"GET /%s HTTP/1.1\r\nHost: here\r\n\r\n"


async def answer(request: Request) -> PlainTextResponse:
    """Answers at once, after more than two looks, or with much."""
    await asyncio.sleep(2.5 * SOON if request.url.path == "/late" else 0)
    return PlainTextResponse("x" * LARGE if request.url.path == "/large" else "there")


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A web server that looks often and lets few connections be."""
    monkeypatch.setattr(AutoHTTPProtocol, "connection_made", AutoHTTPProtocol.connection_made)
    monkeypatch.setattr(connections, "SECONDS", SOON)
    monkeypatch.setattr(connections, "FEW", 3)
    monkeypatch.setattr(connections, "MOST_OF_ONE", 5)
    connections.watch()
    connections.watch()  # a second time changes nothing
    routes = [Route(path, answer) for path in ("/", "/late", "/large")]
    config = uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = server.force_exit = True
    thread.join()


def line(port: int, source: str = "127.0.0.1") -> socket.socket:
    """A connection from an address."""
    return socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(source, 0))


def rest(to: socket.socket) -> bytes:
    """All that comes until the other end closes."""
    parts = []
    while part := to.recv(65536):
        parts.append(part)
    return b"".join(parts)


def answered(to: socket.socket) -> bool:
    """Whether the short answer comes, which may be in several pieces, before the other end closes."""
    said = b""
    while not said.endswith(b"there") and (part := to.recv(65536)):
        said += part
    return said.endswith(b"there")


@pytest.mark.parametrize("head", [b"GET / HTTP/1.1\r\nHost: he", ASK % b""])
def test_who_sends_no_head_of_a_request_or_half_of_one_is_told_and_let_go(port: int, head: bytes) -> None:
    """Eleven hundred of them took every descriptor of the server, for as long as they liked."""
    begun = time.monotonic()
    with line(port) as silent:
        if head.endswith(b"\r\n\r\n"):  # a whole request, and then half of another
            silent.sendall(head)
            assert answered(silent)
            silent.sendall(b"GET /")
        else:
            silent.sendall(head)
        said = rest(silent)
    assert said.startswith(b"HTTP/1.1 408 ") and said.endswith(connections.LATE[2].encode())
    assert SOON * 0.8 < time.monotonic() - begun < 6 * SOON


def test_a_head_that_comes_byte_by_byte_is_let_go_as_well(port: int) -> None:
    with line(port) as slow:
        begun = time.monotonic()
        with pytest.raises(OSError):
            for letter in range(1000):
                slow.sendall(b"%d" % (letter % 10))
                time.sleep(0.05)
        assert time.monotonic() - begun < 6 * SOON


def test_who_waits_for_a_long_answer_and_who_asks_again_and_again_stays(port: int) -> None:
    with line(port) as patient:
        for path in (b"late", b"", b"late", b""):
            patient.sendall(ASK % path)
            assert answered(patient), path
            time.sleep(SOON / 4)


def test_who_does_not_read_an_answer_is_let_go_and_who_reads_it_slowly_has_all_of_it(port: int) -> None:
    with line(port) as deaf, line(port) as slow:
        deaf.sendall(ASK % b"large")
        slow.sendall(ASK % b"large")
        begun, read = time.monotonic(), 0
        while read < LARGE:
            part = slow.recv(1_000_000)
            assert part, f"let go after {read:,} bytes"
            read += len(part)
            time.sleep(0.05 if time.monotonic() - begun < 6 * SOON else 0)
        assert time.monotonic() - begun > 4 * SOON
        with pytest.raises(OSError):  # not all of it comes, and the end is no ordinary one
            if len(rest(deaf)) < LARGE:
                raise OSError


def test_one_address_holds_so_many_and_others_are_answered(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(line(port)) for _ in range(5)]
        for each in held:
            each.sendall(ASK % b"late")
        time.sleep(0.1)
        with line(port) as sixth:
            said = rest(sixth)
        assert said.startswith(b"HTTP/1.1 503 ") and said.endswith(connections.MANY[2].encode())
        with line(port, "127.0.0.2") as other:
            other.sendall(ASK % b"")
            assert answered(other)
        monkeypatch.setattr(connections, "proxies", lambda: visitors.proxies.__wrapped__())
        monkeypatch.setenv("ENCODER_TRUSTED_PROXIES", "127.0.0.0/8")  # whoever comes through it may be many
        with line(port) as through:
            through.sendall(ASK % b"")
            assert answered(through)
        assert all(map(answered, held))
