"""A server loads the libraries and the pages' code as soon as nobody waits for an answer, or a page needs them."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.ui.server import cold_start
from pages.ui.server.memory import keep_freed_memory, keep_little_machine_code


def load() -> None:
    """Load what every run needs, and the usual model beside it; whoever comes meanwhile waits here."""
    keep_freed_memory()  # before the libraries start threads that allocate
    keep_little_machine_code()
    with cold_start.loading():
        from pages.ui import session_runs

        session_runs.warm()
        import pandas  # noqa: F401  # Streamlit needs it for every page; the model comes meanwhile

        from pages.ui.frame import page_frame  # noqa: F401


def load_in_peace() -> None:
    """Load once nobody waits: beside the imports, the first picture would come a second and a half later."""
    cold_start.wait_for_peace(cold_start.loaded.is_set)
    load()


@asynccontextmanager
async def by_itself(_app: st.App) -> AsyncIterator[None]:
    """The life of a server: it loads before anybody asks for what needs it."""
    threading.Thread(target=look_after, name="upkeep", daemon=True).start()
    yield


def look_after() -> None:
    """Load, and then look after the server until it ends."""
    load_in_peace()
    from pages.ui.server import janitor

    janitor.forever()
