"""Whose script runs now, and whether its page is still open: each line that a browser opens has a name.

The name is a header that this server adds to the request that opens the line; a script reads it there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from secrets import token_hex

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

from encoder.support.progress import listening
from pages.ui.state.session import KEY, has

HEADER = "x-line"
ALONE = "alone"  # a page without a line, as in a test
_open: set[str] = set()
_current: ContextVar[str] = ContextVar("visitor", default="")


class Lines:
    """Passes requests on, and names the lines that are open."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one line to its end."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        name = token_hex(16)
        others = [(header, text) for header, text in scope["headers"] if header.lower() != HEADER.encode()]
        _open.add(name)
        try:
            await self.app({**scope, "headers": [*others, (HEADER.encode(), name.encode())]}, receive, send)
        finally:
            _open.discard(name)


def current() -> str:
    """Return the line of the page whose script this thread runs; empty in any other thread."""
    return _current.get()


def is_here(line: str) -> bool:
    """Return whether the page at the other end of a line is open."""
    return line in _open or line == ALONE


def leave_if_asked() -> None:
    """End this thread's script where its page was closed or its visitor has chosen something else."""
    has(KEY)  # Streamlit ends a script that is not wanted any more when it asks for anything


@contextmanager
def attended() -> Iterator[None]:
    """For the block, a script has a visitor, and long computations end when nobody waits for them."""
    before = _current.set(st.context.headers.get(HEADER, ALONE))
    try:
        with listening(leave_if_asked):
            yield
    finally:
        _current.reset(before)
