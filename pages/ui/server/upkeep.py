"""What a server does in between: lets go of what no open page shows, and of garbage, and gives memory back.

Streamlit's own search for garbage after every run is off (postScriptGC), since it stops all sessions for a tenth of a
second each time. What a page leaves behind goes by itself but for figures, whose parts refer to each other: these are
looked for here when nobody's script runs, or at last after LONGEST seconds.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from pages.ui.server import inside, visitor
from pages.ui.server.engine import model_cache, run_cache
from pages.ui.server.heap import give_back_freed_memory
from pages.ui.server.pool import borrowing

EVERY = 2.0  # seconds between two looks
LONGEST = 10.0  # seconds for which garbage may lie about
MOST_SENT, MOST_SENT_BYTES = 2, 30_000_000  # files of a session, and bytes of all
WHILE_FETCHED = 60.0  # seconds in which a browser fetches a file that was made for it
MOST_MADE = 200_000_000  # bytes of all files that were made and may still be fetched
_busy = threading.Lock()
_runs = {"now": 0, "since": 0}  # scripts that run now, and that have begun since the last search
_started = threading.Event()


def begin() -> None:
    """Start the upkeep, once in a server's life."""
    if not _started.is_set() and inside.serves():
        _started.set()
        inside.bound_uploads(MOST_SENT, MOST_SENT_BYTES)
        inside.keep_answers()
        inside.close_lines_given_up()
        inside.keep_offers()
        inside.keep_files(WHILE_FETCHED, MOST_MADE)
        threading.Thread(target=forever, daemon=True, name="upkeep").start()


@contextmanager
def attended() -> Iterator[None]:
    """Around a script: what it asks for is on loan, and long work ends when its visitor leaves."""
    begin()
    with _busy:
        _runs["now"] += 1
        _runs["since"] += 1
    try:
        with borrowing(visitor.current()), visitor.attended():
            yield
    finally:
        with _busy:
            _runs["now"] -= 1


def forever() -> None:
    """Look after the server until it ends."""
    searched = monotonic()
    while True:
        sleep(EVERY)
        inside.forget_closed_pages()
        freed = run_cache.drop_unseen(visitor.is_here)
        freed = model_cache.drop_unseen(visitor.is_here) or freed
        if (_runs["since"] and (not _runs["now"] or monotonic() - searched > LONGEST)) or freed:
            _runs["since"] = 0
            gc.collect()
            searched = monotonic()
            give_back_freed_memory()
