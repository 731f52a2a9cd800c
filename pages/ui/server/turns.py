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
from pages.ui.state import session

AT_ONCE = max(2, os.cpu_count() or 1)
LONGEST = 1.0  # seconds after which a script no longer keeps others waiting
LOOK = 0.25  # seconds between two looks at whether the person still waits
LONG = 0.2  # processor seconds from which a script is a long one, as is one that nobody knows yet
LEAST = 0.005  # processor seconds that any script is taken to need
FORGET = (
    0.8  # of what a script of a kind needed when the next one needs less: what was at hand this time may not be then
)
MOST_KNOWN = 1000  # kinds of scripts
SWITCH = 0.001  # seconds after which a thread lets go of the interpreter when another asks for it; usually 0.005


class Turn:
    """The place of one script in the line, and then among those that run."""

    def __init__(self, kind: str, since: float) -> None:
        self.kind, self.since = kind, since
        self.called = threading.Event()


_turn: ContextVar[Turn | None] = ContextVar("turn", default=None)


class Turns:
    """So many scripts at once, and of them one fewer long ones: a short script never waits for long ones to end.

    Next is the one whose wait is longest in terms of what scripts of its kind need, squared: short ones hardly wait for
    long ones, and no long one waits for ever (after highest response ratio next; Brinch Hansen 1971).
    """

    def __init__(
        self, at_once: int = AT_ONCE, longest: float = LONGEST, clock: Callable[[], float] = monotonic
    ) -> None:
        self.at_once, self.longest, self.clock = at_once, longest, clock
        self.begun: dict[Turn, float] = {}  # when each that runs began
        self.line: list[Turn] = []
        self.needed: dict[str, float] = {}  # processor seconds of scripts of a kind, the newest last
        self.lock = threading.Lock()

    @contextmanager
    def turn(self, kind: str, leave: Callable[[], None] | None = None) -> Iterator[None]:
        """Wait for a turn and keep it for the block. `leave` is called meanwhile; if it raises, the place is free."""
        mine = Turn(kind, self.clock())
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
                    self.note(kind, thread_time() - before)
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
        at_work = [one for one, begun in self.begun.items() if now - begun < self.longest]
        free, free_for_long = self.at_once - len(at_work), max(1, self.at_once - 1) - sum(map(self.is_long, at_work))
        for following in sorted(self.line, key=lambda one: self.waited(one, now), reverse=True):
            if free > 0 and (free_for_long > 0 or not self.is_long(following)):
                free, free_for_long = free - 1, free_for_long - self.is_long(following)
                self.line.remove(following)
                self.begun[following] = now
                following.called.set()

    def need(self, one: Turn) -> float:
        """Processor seconds that a script is thought to take."""
        return max(self.needed.get(one.kind, LONG), LEAST)

    def is_long(self, one: Turn) -> bool:
        """Whether a script is thought to keep others waiting."""
        return self.need(one) >= LONG

    def waited(self, one: Turn, now: float) -> float:
        """How long a script waits, in terms of how long it is thought to run."""
        return (now - one.since) / self.need(one) ** 2

    def note(self, kind: str, seconds: float) -> None:
        """Remember what a script needed; of many kinds those are forgotten that ran longest ago."""
        before = self.needed.pop(kind, 0.0)
        self.needed[kind] = max(seconds, FORGET * before)
        if len(self.needed) > MOST_KNOWN:
            del self.needed[next(iter(self.needed))]


turns = Turns()  # those of this server
sys.setswitchinterval(SWITCH)


@contextmanager
def turn() -> Iterator[None]:
    """A turn for this thread's script, for the block; its kind is the page and about how long the text is."""
    text = session.value("sentence") if session.has("sentence") else ""
    letters = len(text) if isinstance(text, str) else 0
    with turns.turn(f"{inside.page()} {letters.bit_length()}", inside.leave_if_asked()):
        yield
