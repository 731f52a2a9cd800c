"""All that the app takes of Streamlit's insides, which Streamlit promises to nobody. Read in the version `KNOWN`.

A test says when another version is pinned. What such a version has in another place is logged once, and the app goes on
without it.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, MutableMapping
from contextlib import AbstractContextManager, suppress
from functools import cache
from time import monotonic
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

KNOWN = "1.67.0"
TRY_AGAIN = 1013  # why a line is closed, as RFC 6455 numbers it
ANSWERS = ("backend_operation_response", "file_urls_response")  # messages that no later run sends again


@cache
def missing(what: str) -> None:
    """Log, once in the life of a server, that something is not where it was."""
    log = logging.getLogger(__name__)
    log.warning("Streamlit %s has %s in another place than %s; the app goes on without", st.__version__, what, KNOWN)


def session_id() -> str:
    """The session whose script this thread runs; empty in any other thread."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def page() -> str:
    """What Streamlit calls the page whose script this thread runs; empty in any other thread."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context else ""


def went_back() -> bool:
    """Whether the script of this thread runs because somebody went back or forth in the history of their browser."""
    context = get_script_run_ctx(suppress_warning=True)
    try:
        return context is not None and context.is_history_navigation
    except AttributeError:
        missing("who went back")
        return True


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


def widgets() -> tuple[MutableMapping[str, Any], Collection[str]]:
    """What Streamlit keeps of every widget that this session ever had, by its id, and the ids of those drawn just now.

    Both are empty where no script runs, or where they are not found.
    """
    context = get_script_run_ctx()
    if context is None:
        return {}, ()
    try:
        kept: MutableMapping[str, Any] = context.session_state._state._new_widget_state.widget_metadata
        return kept, context.shared.widget_ids_this_run.snapshot()
    except AttributeError:
        missing("the callbacks of widgets")
        return {}, ()


def sent() -> MutableMapping[str, Any]:
    """What a browser says of its widgets, by their ids; empty where no script runs, or where it is not found."""
    context = get_script_run_ctx()
    if context is None:
        return {}
    try:
        found: MutableMapping[str, Any] = context.session_state._state._new_widget_state.states
    except AttributeError:
        missing("what a browser says of its widgets")
        return {}
    return found


def leave_if_asked() -> Callable[[], None] | None:
    """A function that ends this script, by raising, where its page was closed or its visitor has chosen something else.

    None where no script runs, or where it is not found: work that was begun then goes on to its end.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    try:
        found: Callable[[], None] = context.yield_check
    except AttributeError:
        missing("what ends a script")
        return None
    return found


def forget_closed_pages() -> None:
    """Let go of sessions whose pages were closed longer ago than `server.disconnectedSessionTTL`.

    Streamlit does so only when another page is closed; until then a session keeps what could be fetched from its page.
    """
    try:
        manager: Any = runtime.get_instance()._session_mgr
        with manager._storage_lock:
            manager._session_storage._cache.expire()
    except AttributeError:
        missing("the sessions of closed pages")


def bound_uploads(most_each: int, most_bytes: int) -> None:
    """Keep of each session no more than so many files that were sent to it, and of all no more bytes; the oldest go.

    Streamlit bounds the size of a file that is sent, and not their number.
    """
    try:
        manager: Any = runtime.get_instance().uploaded_file_mgr
        kept: dict[str, dict[str, Any]] = manager.file_storage
        add: Callable[[str, Any], None] = manager.add_file
    except AttributeError:
        missing("the files that were sent")
        return

    def bounded(session_id: str, file: Any) -> None:
        add(session_id, file)
        for name in [*kept[session_id]][:-most_each]:
            manager.remove_file(session_id, name)
        others = [(one, name) for one, files in kept.items() for name in files if name != file.file_id]
        held = sum(len(one.data) for files in kept.values() for one in files.values())
        while held > most_bytes and others:
            one, name = others.pop(0)
            held -= len(kept[one][name].data)
            manager.remove_file(one, name)

    manager.add_file = bounded


def keep_offers() -> None:
    """What a button fetches keeps its name for as long as the button is drawn, and is always what the newest run made.

    Streamlit names it anew in every run and lets go of the name of the run before, which the browser still shows for a
    moment; and of the new ones where a run is cut short, or goes on while somebody else's ends. Who clicked just then
    got nothing. Here `forget_offers` lets go of what no button fetches any more.
    """
    try:
        manager: Any = runtime.get_instance().media_file_mgr
        offered: dict[str, Any] = manager._deferred_callables
        of_session: dict[str, set[str]] = manager._deferred_ids_by_session
        used: dict[str, dict[str, str]] = manager._files_by_session_and_coord
        add: Callable[..., str] = manager.add_deferred
        clear: Callable[[str], None] = manager.clear_session_refs
        lock: AbstractContextManager[bool] = manager._lock
    except AttributeError:
        missing("what buttons fetch")
        return

    def named(make: Callable[[], bytes], mimetype: str, coordinates: str, **more: str) -> str:
        name = add(make, mimetype, coordinates, **more)
        with lock:
            made = offered.get(name)
            if made is None:  # its session has just ended
                return name
            button, session = made["element_id"], made["session_id"]
            before = [one for one in of_session[session] - {name} if offered[one]["element_id"] == button]
            if button and before:
                of_session[session].discard(name)
                offered[before[0]] = offered.pop(name)
                name = before[0]
            used[session].pop(coordinates, None)
            used[session][name] = name
            return name

    def cleared(session: str | None = None) -> None:
        """A session ends, or a run of this one begins."""
        if session is not None:
            clear(session)
            return
        with lock:
            used[session_id()] = {place: name for place, name in used[session_id()].items() if place == name}

    manager.add_deferred, manager.clear_session_refs = named, cleared


def forget_offers(drawn: Collection[str]) -> None:
    """At the end of a run, let go of what those buttons of its session fetched that were not `drawn` in it."""
    if not serves():
        return
    try:
        manager: Any = runtime.get_instance().media_file_mgr
        with manager._lock:
            for name in [*manager._deferred_ids_by_session.get(session_id(), ())]:
                if manager._deferred_callables[name]["element_id"] not in drawn:
                    manager._drop_deferred_id(name)
                    manager._files_by_session_and_coord[session_id()].pop(name, None)
    except AttributeError:
        missing("what buttons fetch")


def keep_answers() -> None:
    """What a browser has asked for is told it, though a run of its page begins before the answer has left.

    Streamlit throws away what it has not yet sent by then, since the new run draws all of it again; not an answer.
    """
    try:
        clear, _ = ForwardMsgQueue.clear, ForwardMsgQueue()._queue
    except AttributeError:
        missing("what is not yet sent")
        return

    def cleared(queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, *more: Any, **named: Any) -> None:
        answers = [one for one in queue._queue if retain_lifecycle_msgs and one.WhichOneof("type") in ANSWERS]
        clear(queue, retain_lifecycle_msgs, *more, **named)
        queue._queue += [one for one in answers if not any(one is kept for kept in queue._queue)]

    ForwardMsgQueue.clear = cleared  # type: ignore[assignment, method-assign]


def close_lines_given_up() -> None:
    """A browser whose line takes nothing any more is told that it was given up, and comes again by itself.

    Streamlit sends it nothing from then on and heeds none of its clicks, but leaves the line open: where it had only
    stood still for a while, the page was dead until it was loaded anew.
    """
    try:
        write = StarletteSessionClient.write_forward_msg
    except AttributeError:
        missing("how it sends to a browser")
        return
    closing = set[asyncio.Task[None]]()  # held here, or they could end as garbage

    async def close(client: Any) -> None:
        client._sender_task.cancel()
        with suppress(OSError, RuntimeError):  # the line may be gone already
            await client._websocket._send({"type": "websocket.close", "code": TRY_AGAIN, "reason": ""})

    def written(client: StarletteSessionClient, message: Any) -> None:
        was_open = not client._closed.is_set()
        try:
            write(client, message)
        except SessionClientDisconnectedError:
            if was_open:
                one = asyncio.create_task(close(client))
                closing.add(one)
                one.add_done_callback(closing.discard)
            raise

    StarletteSessionClient.write_forward_msg = written  # type: ignore[assignment, method-assign]


def keep_files(seconds: float, most_bytes: int) -> None:
    """Keep a file for so many seconds after it was made or shown; of those for a download, no more than so many bytes.

    Streamlit lets go of it when scripts have ended twice, whosever they are: with thirty visitors that is at once, and
    the browser that was told where the file lies finds it no more.
    """
    try:
        manager: Any = runtime.get_instance().media_file_mgr
        keep: Callable[..., str] = manager._storage.load_and_get_id
        unused: Callable[[], set[str]] = manager._get_inactive_file_ids
    except AttributeError:
        missing("the files that were made")
        return
    since = dict[str, float]()

    def made(*what: Any) -> str:
        name = keep(*what)
        since[name] = monotonic()
        forget_files(most_bytes, name)
        return name

    def old() -> set[str]:
        for name in [name for name, moment in since.items() if moment < monotonic() - seconds]:
            del since[name]
        return unused() - since.keys()

    manager._storage.load_and_get_id, manager._get_inactive_file_ids = made, old


def forget_files(most_bytes: int, newest: str = "") -> None:
    """Let go of the oldest files for a download but the `newest`, until all together hold no more than so many bytes.

    Streamlit does so only when somebody's script ends. Who fetches a file just now has it to its end.
    """
    try:
        storage: Any = runtime.get_instance()._media_file_mgr._storage
        kept: dict[str, Any] = storage._files_by_id
    except (AttributeError, RuntimeError):  # no server: a test of a page
        if serves():
            missing("the files that were made")
        return
    made = [(name, len(one.content)) for name, one in list(kept.items()) if one.kind.value == "downloadable"]
    held = sum(size for _, size in made)
    for name, size in made:
        if held > most_bytes and name != newest:
            storage.delete_file(name)
            held -= size
