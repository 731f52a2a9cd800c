"""Whose script runs now, and whether its page is still open: each line that a browser opens has a name.

The name, and the visitor whose line it is, are headers that this server adds to the request that opens the line; a
script reads them there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from secrets import token_hex

import streamlit as st
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from encoder.support.progress import listening
from pages.ui.state.session import KEY, has

HEADER, WHO = "x-line", "x-visitor"
ALONE = "alone"  # a page without a line, as in a test
_open: set[str] = set()
_current: ContextVar[str] = ContextVar("line", default="")
_who: ContextVar[str] = ContextVar("visitor", default="")


class Lines:
    """Passes requests on, and names the lines that are open, and whose they are."""

    def __init__(self, app: ASGIApp, who: Callable[[HTTPConnection], str]) -> None:
        self.app, self.who = app, who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one line to its end."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        name = token_hex(16)
        own = [(HEADER.encode(), name.encode()), (WHO.encode(), self.who(HTTPConnection(scope)).encode())]
        others = [(header, text) for header, text in scope["headers"] if header.lower() not in dict(own)]
        _open.add(name)
        try:
            await self.app({**scope, "headers": [*others, *own]}, receive, send)
        finally:
            _open.discard(name)


def current() -> str:
    """Return the line of the page whose script this thread runs; empty in any other thread."""
    return _current.get()


def who() -> str:
    """Return the visitor for whom this thread works; empty where it is nobody."""
    return _who.get()


@contextmanager
def working_for(visitor: str) -> Iterator[None]:
    """For the block, this thread works for a visitor."""
    before = _who.set(visitor)
    try:
        yield
    finally:
        _who.reset(before)


def is_here(line: str) -> bool:
    """Return whether the page at the other end of a line is open."""
    return line in _open or line == ALONE


def anybody() -> bool:
    """Return whether any page is open."""
    return bool(_open)


def leave_if_asked() -> None:
    """End this thread's script where its page was closed or its visitor has chosen something else."""
    has(KEY)  # Streamlit ends a script that is not wanted any more when it asks for anything


@contextmanager
def attended() -> Iterator[None]:
    """For the block, a script has a visitor, and long computations end when nobody waits for them."""
    before = _current.set(st.context.headers.get(HEADER, ALONE))
    try:
        with working_for(st.context.headers.get(WHO, "")), listening(leave_if_asked):
            yield
    finally:
        _current.reset(before)
