"""A server loads the libraries and the pages' code as soon as it starts; its first visitor waits for what is left."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.ui.server import cold_start
from pages.ui.server.heap import keep_freed_memory, keep_little_machine_code


def load() -> None:
    """Load what every run needs, and the usual model beside it; whoever comes meanwhile waits here."""
    keep_freed_memory()  # before the libraries start threads that allocate
    keep_little_machine_code()
    with cold_start.loading():
        from pages.ui import session

        session.warm()
        import pandas  # noqa: F401  # Streamlit needs it for every page; the model comes meanwhile

        from pages.ui.frame import whole  # noqa: F401


@asynccontextmanager
async def at_once(_app: st.App) -> AsyncIterator[None]:
    """The life of a server: it begins to load while nobody is there yet."""
    threading.Thread(target=load, name="load", daemon=True).start()
    yield
