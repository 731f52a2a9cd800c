"""Runs the screens of classes where their class has changed, so that none has to look by itself.

One thread of a server reads two numbers of each class that has a screen here. The screens that what changed concerns
run a few at a time: a class of thirty that starts all at once would be no faster, and its teacher would wait behind it.
"""

import threading
from dataclasses import dataclass
from time import monotonic, sleep

from pages.ui.live import push_inside as inside
from pages.ui.live.classroom import classroom
from pages.ui.live.store import StoreError
from pages.ui.state.seat import OVER, Counts, Seat

LOOK = 0.25  # seconds between two looks at a class
TICK = 0.02  # seconds between two looks at which screens are done
HEARD = 5.0  # seconds between two signs of life of a screen
AT_ONCE = 4
PATIENCE = 2.0  # seconds after which a screen that was asked to run is asked again


@dataclass(eq=False)
class Screen:
    """A screen in a class: what it has taken over from it, None where it could not be reached, and whether it runs."""

    seat: Seat
    counts: Counts | None
    runs: bool = True
    pushed: float = -PATIENCE
    heard: float = -HEARD

    def behind(self, counts: Counts | None) -> bool:
        """Whether the class has gone on in what concerns this screen; a pupil alone does not see what is shown."""
        if counts is None or self.counts is None:
            return counts is not self.counts
        if self.seat.leads:
            return counts.asked != self.counts.asked
        return counts[not self.seat.follows :] != self.counts[not self.seat.follows :]


_screens: dict[str, Screen] = {}
_started = threading.Event()


def takes(seat: Seat | None, counts: Counts | None) -> None:
    """Note what the screen whose script runs now has taken over; without a seat it is in no class any more."""
    name = inside.session_id()
    if seat is None:
        _screens.pop(name, None)
    elif begin():
        before = _screens.get(name)
        heard = before.heard if before is not None and before.seat == seat else -HEARD
        _screens[name] = Screen(seat, counts, heard=heard, pushed=monotonic())


def done() -> None:
    """Note that the script of this screen is through."""
    screen = _screens.get(inside.session_id())
    if screen is not None:
        screen.runs = False


def begin() -> bool:
    """Start to watch, once in a server's life; False where screens cannot be run from here and look by themselves."""
    if not inside.can_rerun():
        return False
    if not _started.is_set():
        _started.set()
        threading.Thread(target=forever, daemon=True, name="classes").start()
    return True


def forever() -> None:
    """Watch until the server ends."""
    known: dict[str, Counts | None] = {}
    looked = 0.0
    while True:
        sleep(TICK if any(one.behind(known.get(one.seat.code, one.counts)) for one in [*_screens.values()]) else LOOK)
        if monotonic() - looked >= LOOK:
            looked = monotonic()
            for name in [name for name in [*_screens] if not inside.is_open(name)]:
                _screens.pop(name, None)
            known = {code: counts_of(code) for code in {one.seat.code for one in [*_screens.values()]}}
            live()
        push(known)


def counts_of(code: str) -> Counts | None:
    """The numbers of a class; below all others where it is over, and None where it cannot be reached."""
    try:
        return classroom().counts(code) or OVER
    except StoreError:
        return None


def push(known: dict[str, Counts | None]) -> None:
    """Have some of the screens run that are behind."""
    now, screens = monotonic(), [*_screens.items()]
    behind = {name for name, one in screens if one.behind(known.get(one.seat.code, one.counts))}
    running = sum(now - one.pushed < PATIENCE and (one.runs or name in behind) for name, one in screens)
    for name, one in screens:
        if running >= AT_ONCE:
            break
        if name in behind and now - one.pushed >= (PATIENCE if one.runs else 0.0):
            one.pushed, one.runs, running = now, True, running + 1
            inside.rerun(name)


def live() -> None:
    """Tell the classes which screens are there."""
    now = monotonic()
    for one in [*_screens.values()]:
        if now - one.heard >= HEARD:
            one.heard = now
            try:
                classroom().here(one.seat)
            except StoreError:
                return
