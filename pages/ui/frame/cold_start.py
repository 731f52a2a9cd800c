"""A server that was just started loads its libraries and pages as soon as nobody waits, or when a page needs them."""

import gc
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.ui.server import own_process
from pages.ui.server.memory import keep_freed_memory, keep_little_machine_code

REST = 1.0  # seconds without a request, after which nobody waits
LONGEST = 15.0  # seconds after which it is done even so
OFTEN = 0.1  # seconds between two looks
HEALTH = "/_stcore/health"  # what asks for it waits for no page
SHORT = 0.001  # seconds that one thread goes on while another waits: the browser fetches files during the imports

loaded = threading.Event()  # as soon as it has its libraries
import_lock = threading.Lock()  # held by the thread that imports
last_request = [0.0]  # when one came


@contextmanager
def loading() -> Iterator[None]:
    """Around the imports: one thread does them, undisturbed; who comes meanwhile waits here."""
    if loaded.is_set():
        yield
        return
    with import_lock, nullcontext() if loaded.is_set() else undisturbed():
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Nobody looks for garbage meanwhile, nor ever after among what was loaded.

    Nobody may draw a chart: Plotly looks at numpy as soon as another thread has begun to import it. To look at all of
    torch's objects takes a tenth of a second, in which no session gets on. It must not be later: what stands aside
    here is never let go, and there are no runs yet.
    """
    gc.disable()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SHORT)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
        gc.enable()
    gc.freeze()
    loaded.set()


class Requests:
    """Passes requests on and notes when they came."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not scope.get("path", "").endswith(HEALTH):
            last_request[0] = time.monotonic()
        await self.app(scope, receive, send)


def wait_for_peace(
    done: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Return when nobody has asked for anything for a while, when it has been long enough, or when it is `done`."""
    begun = clock()
    while not done() and clock() - begun < LONGEST and clock() - max(begun, last_request[0]) < REST:
        sleep(OFTEN)


def load() -> None:
    """Load what every run needs, and the usual model beside it; whoever comes meanwhile waits here."""
    keep_freed_memory()  # before the libraries start threads that allocate
    keep_little_machine_code()
    with loading():
        from pages.ui import session_runs

        session_runs.warm()
        import pandas  # noqa: F401  # Streamlit needs it for every page; the model comes meanwhile

        from pages.ui.frame import page_frame  # noqa: F401


def load_in_peace() -> None:
    """Load once nobody waits: beside the imports, the first picture would come a second and a half later."""
    wait_for_peace(loaded.is_set)
    load()


@asynccontextmanager
async def by_itself(_app: st.App) -> AsyncIterator[None]:
    """The life of a server: it loads before anybody asks for what needs it."""
    own_process.hold_many_lines()
    own_process.end_in_time()
    threading.Thread(target=look_after, name="upkeep", daemon=True).start()
    yield


def look_after() -> None:
    """Load, and then look after the server until it ends."""
    load_in_peace()
    from pages.ui.server import engine

    engine.keep_tidy()
