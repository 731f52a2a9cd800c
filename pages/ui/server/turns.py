"""Scripts take turns: as many as there are processors run at once, the short ones first that have waited long.

Scripts of one server share one interpreter: forty of them at once take as long as one after the other, all of them wait
until the last ends, and so does everything else that the server has to do.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic, thread_time

from pages.ui.server import inside

AT_ONCE = max(2, os.cpu_count() or 1)
LONGEST = 1.0  # seconds after which a script no longer keeps others waiting
LOOK = 0.25  # seconds between two looks at whether the person still waits
USUAL, LEAST = 0.05, 0.005  # processor seconds that a script is taken to need: one that is not known, and any
MOST_KNOWN = 1000  # sessions
SWITCH = 0.001  # seconds after which a thread lets go of the interpreter when another asks for it; usually 0.005


class Turn:
    """The place of one script in the line, and then among those that run."""

    def __init__(self, session: str, since: float) -> None:
        self.session, self.since = session, since
        self.called = threading.Event()


_turn: ContextVar[Turn | None] = ContextVar("turn", default=None)


class Turns:
    """So many scripts at once.

    Next is the one whose wait is longest in terms of what its session's last script needed: short ones hardly wait for
    long ones, and no long one waits for ever (highest response ratio next; Brinch Hansen 1971).
    """

    def __init__(
        self, at_once: int = AT_ONCE, longest: float = LONGEST, clock: Callable[[], float] = monotonic
    ) -> None:
        self.at_once, self.longest, self.clock = at_once, longest, clock
        self.begun: dict[Turn, float] = {}  # when each that runs began
        self.line: list[Turn] = []
        self.needed: dict[str, float] = {}  # processor seconds of a session's last script, the newest last
        self.lock = threading.Lock()

    @contextmanager
    def turn(self, session: str, leave: Callable[[], None] | None = None) -> Iterator[None]:
        """Wait for a turn and keep it for the block. `leave` is called meanwhile; if it raises, the place is free."""
        mine = Turn(session, self.clock())
        with self.lock:
            self.line.append(mine)
            self.call()
        before, outer = thread_time(), _turn.set(mine)
        try:
            while not mine.called.wait(LOOK):
                if leave is not None:
                    leave()
                with self.lock:
                    self.call()  # one of those that run may have taken too long by now
            yield
        finally:
            _turn.reset(outer)
            with self.lock:
                if mine in self.line:
                    self.line.remove(mine)
                else:
                    self.note(session, thread_time() - before)
                self.end(mine)

    def step_aside(self) -> None:
        """This thread's script waits for something else now: its turn is another's, and it needs none to go on."""
        mine = _turn.get()
        if mine is not None:
            with self.lock:
                self.end(mine)

    def end(self, one: Turn) -> None:
        """A turn is over."""
        self.begun.pop(one, None)
        self.call()

    def call(self) -> None:
        """Begin the turns of those that are next, as many as may run now."""
        now = self.clock()
        free = self.at_once - sum(now - begun < self.longest for begun in self.begun.values())
        for _ in range(min(free, len(self.line))):
            following = max(self.line, key=lambda one: self.waited(one, now))
            self.line.remove(following)
            self.begun[following] = now
            following.called.set()

    def waited(self, one: Turn, now: float) -> float:
        """How long a script waits, in terms of how long it is thought to run."""
        return (now - one.since) / max(self.needed.get(one.session, USUAL), LEAST)

    def note(self, session: str, seconds: float) -> None:
        """Remember what a session's script needed; of many sessions those are forgotten that ran longest ago."""
        self.needed.pop(session, None)
        self.needed[session] = seconds
        if len(self.needed) > MOST_KNOWN:
            del self.needed[next(iter(self.needed))]


turns = Turns()  # those of this server
sys.setswitchinterval(SWITCH)


@contextmanager
def turn() -> Iterator[None]:
    """A turn for the script that this thread runs, for the block."""
    with turns.turn(inside.session_id(), inside.leave_if_asked()):
        yield
