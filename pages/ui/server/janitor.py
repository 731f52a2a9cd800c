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

from pages.ui.server import file_links, visitor
from pages.ui.server.engine import model_cache, run_cache
from pages.ui.server.memory import give_back_freed_memory
from pages.ui.server.pool import borrowing

EVERY = 2.0  # seconds between two looks
LONGEST = 10.0  # seconds for which garbage may lie about
_busy = threading.Lock()
_runs = {"now": 0, "since": 0}  # scripts that run now, and that have begun since the last search


@contextmanager
def attended() -> Iterator[None]:
    """Around a script: what it asks for is on loan, and long work ends when its visitor leaves."""
    with _busy:
        _runs["now"] += 1
        _runs["since"] += 1
    try:
        with visitor.attended(), borrowing(visitor.current()):
            yield
    finally:
        with _busy:
            _runs["now"] -= 1


def forever() -> None:
    """Look after the server until it ends."""
    searched = monotonic()
    while True:
        sleep(EVERY)
        file_links.drop_unseen(visitor.is_here)
        freed = run_cache.drop_unseen(visitor.is_here)
        freed = model_cache.drop_unseen(visitor.is_here) or freed
        if (_runs["since"] and (not _runs["now"] or monotonic() - searched > LONGEST)) or freed:
            _runs["since"] = 0
            gc.collect()
            searched = monotonic()
            give_back_freed_memory()
