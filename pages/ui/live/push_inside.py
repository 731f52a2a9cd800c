"""What the screens of a class take of Streamlit's insides: which pages are open, and how one is run from elsewhere."""

import logging
from functools import cache
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


@cache
def missing(what: str) -> None:
    """Log, once in the life of a server, that something is not where it was."""
    logging.getLogger(__name__).warning("Streamlit %s has %s in another place; the app goes on", st.__version__, what)


def session_id() -> str:
    """The session whose script this thread runs; empty in any other thread."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def serves() -> bool:
    """Whether this process is a server, and no test or script of its own."""
    return runtime.exists() and type(runtime.get_instance()) is runtime.Runtime  # tests of pages have a stand-in


def is_open(session: str) -> bool:
    """Whether the page of a session is open; where that is not found, every page counts as open."""
    if not serves():
        return False
    try:
        return runtime.get_instance().is_active_session(session)
    except AttributeError:
        missing("which sessions are open")
        return True


def can_rerun() -> bool:
    """Whether `rerun` can have the page of a session run; where not, pages look by themselves whether they should."""
    if not serves():
        return False
    try:
        instance: Any = runtime.get_instance()
        return callable(instance._session_mgr.get_active_session_info) and bool(instance._get_async_objs().eventloop)
    except AttributeError:
        missing("what has a page run")
        return False


def rerun(session: str) -> None:
    """Have the page of a session run as it is, unless it runs now: what its browser has just said would be lost."""
    instance: Any = runtime.get_instance()

    def ask() -> None:
        try:
            info = instance._session_mgr.get_active_session_info(session)
            if info is not None and info.session._scriptrunner is None:
                info.session.request_rerun(info.session._client_state)
        except AttributeError:
            missing("what has a page run")

    instance._get_async_objs().eventloop.call_soon_threadsafe(ask)
