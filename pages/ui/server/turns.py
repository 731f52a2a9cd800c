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
LOOK = 0.1  # seconds between two looks at whether the person still waits
USUAL, LEAST = 0.05, 0.005  # processor seconds that a script is taken to need: one that is not known, and any
MOST_KNOWN = 1000  # sessions
SWITCH = 0.001  # seconds after which a thread lets go of the interpreter when another asks for it; usually 0.005

_ticket: ContextVar[object] = ContextVar("ticket", default=None)


class Turns:
    """So many scripts at once.

    Next is the one whose wait is longest in terms of what its session's last script needed: short ones hardly wait for
    long ones, and no long one waits for ever (highest response ratio next; Brinch Hansen 1971).
    """

    def __init__(
        self, at_once: int = AT_ONCE, longest: float = LONGEST, clock: Callable[[], float] = monotonic
    ) -> None:
        self.at_once, self.longest, self.clock = at_once, longest, clock
        self.begun: dict[object, float] = {}  # when each that runs began
        self.line: dict[object, tuple[str, float]] = {}  # whose script each is that waits, and since when
        self.needed: dict[str, float] = {}  # processor seconds of a session's last script, the newest last
        self.moved = threading.Condition()

    @contextmanager
    def turn(self, session: str, leave: Callable[[], None] | None = None) -> Iterator[None]:
        """Wait for a turn and keep it for the block. `leave` is called meanwhile; if it raises, the place is free."""
        ticket = object()
        with self.moved:
            self.line[ticket] = session, self.clock()
        try:
            while not self.begins(ticket):
                if leave is not None:
                    leave()
        finally:
            with self.moved:
                self.line.pop(ticket, None)
        before, outer = thread_time(), _ticket.set(ticket)
        try:
            yield
        finally:
            _ticket.reset(outer)
            with self.moved:
                self.begun.pop(ticket, None)
                self.note(session, thread_time() - before)
                self.moved.notify_all()

    def step_aside(self) -> None:
        """This thread's script waits for something else now: its turn is another's, and it needs none to go on."""
        with self.moved:
            self.begun.pop(_ticket.get(), None)
            self.moved.notify_all()

    def begins(self, ticket: object) -> bool:
        """Wait a moment for the turn, and take it; whether that was possible."""
        with self.moved:
            if not self.moved.wait_for(lambda: self.may(ticket), LOOK):
                return False
            self.begun[ticket] = self.clock()
            del self.line[ticket]
            self.moved.notify_all()
            return True

    def may(self, ticket: object) -> bool:
        """Whether it is this one's turn."""
        now = self.clock()
        if sum(now - begun < self.longest for begun in self.begun.values()) >= self.at_once:
            return False
        return max(self.line, key=lambda one: self.waited(*self.line[one], now)) is ticket

    def waited(self, session: str, since: float, now: float) -> float:
        """How long a script waits, in terms of how long it is thought to run."""
        return (now - since) / max(self.needed.get(session, USUAL), LEAST)

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
