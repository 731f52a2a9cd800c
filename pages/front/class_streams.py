"""What the screens of classes are told: a line for each, and one task for each class that looks what has changed.

No thread waits for a screen.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pages.front.request_fields import RefusedError
from pages.ui.classroom import results
from pages.ui.classroom.classroom import OUT, Classroom, GoneError
from pages.ui.state.seat import Counts, Seat

LOOK = 0.25  # seconds between two looks at a class
COUNT = 1.0  # seconds between two looks at who is there and what they sent, for its teacher
HEARD = 5.0  # seconds between two signs of life, of a screen and to it
MOST = 2000  # lines of this server
MOST_OF_ONE = 400  # of them to one address, behind which several classes may sit
MOST_OF_SEAT = 4  # tabs with the same seat
log = logging.getLogger(__name__)
FULL = "Too many screens are in classes on this server now; try again in a moment."


@dataclass(eq=False)
class Screen:
    """A screen in a class, and the address that it asks from."""

    seat: Seat
    visitor: str


@dataclass(eq=False)
class Watched:
    """A class with screens on this server: what all of them, and its teachers' besides, are told now, by name."""

    code: str
    screens: set[Screen] = field(default_factory=set)
    to_all: dict[str, Any] = field(default_factory=dict)
    to_teachers: dict[str, Any] = field(default_factory=dict)
    counts: Counts | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    stirred: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False
    counted: float = -COUNT
    heard: float = 0.0

    @property
    def teacher(self) -> Seat | None:
        """The seat of its teacher, where one of the screens is theirs."""
        return next((screen.seat for screen in self.screens if screen.seat.leads), None)

    def tell(self, **parts: Any) -> None:
        """Wake all lines to what is new."""
        self.to_all |= parts
        self.news.set()
        self.news = asyncio.Event()

    def parts_for(self, screen: Screen) -> dict[str, Any]:
        """Return what a screen is to know now."""
        return self.to_all | (self.to_teachers if screen.seat.leads else {})


class Streams:
    """The lines to the screens of this server."""

    def __init__(self, room: Callable[[], Classroom]) -> None:
        self.room = room
        self.watched: dict[str, Watched] = {}
        self.of_visitor: Counter[str] = Counter()
        self.tasks = set[asyncio.Task[None]]()

    def stir(self, code: str) -> None:
        """Look at a class at once: something was done in it here."""
        if code in self.watched:
            self.watched[code].stirred.set()

    def begin(self, seat: Seat, visitor: str) -> AsyncGenerator[str]:
        """Return what is said to a screen that has this seat, part by part as JSON; an empty part is a sign of life.

        Raises:
            RefusedError: there are too many.
        """
        screens = (screen for watched in self.watched.values() for screen in watched.screens)
        alike = [screen for screen in screens if screen.seat.key == seat.key]
        if self.of_visitor.total() >= MOST or self.of_visitor[visitor] >= MOST_OF_ONE or len(alike) >= MOST_OF_SEAT:
            raise RefusedError(429, FULL, 2)
        self.room().here(seat)
        return self.events(Screen(seat, visitor))

    async def events(self, screen: Screen) -> AsyncGenerator[str]:
        """Say all that a screen is to know, and then what is new, until it leaves or the class is over."""
        watched = self.enter(screen)
        sent: dict[str, str] = {}
        try:
            while True:
                news = watched.news
                parts = watched.parts_for(screen)
                if "class" in parts and "own" not in sent and not screen.seat.leads:
                    parts = parts | {"own": read_own(self.room(), screen.seat)}
                for name, value in parts.items():
                    text = json.dumps({name: value})
                    if sent.get(name) != text and not (name == "own" and name in sent):
                        sent[name] = text
                        yield text
                if self.room().is_out(screen.seat):
                    yield json.dumps({"over": True, "why": f"{OUT[0].upper()}{OUT[1:]}."})
                    return
                if watched.is_over:
                    return
                try:
                    await asyncio.wait_for(news.wait(), HEARD)
                except TimeoutError:
                    yield "{}"
        finally:
            watched.screens.discard(screen)
            self.of_visitor[screen.visitor] -= 1
            self.of_visitor += Counter()  # names no address that has none

    def enter(self, screen: Screen) -> Watched:
        """Count a screen in; the first one of a class has it looked at from then on."""
        watched = self.watched.get(screen.seat.code)
        if watched is None or watched.is_over:
            watched = self.watched[screen.seat.code] = Watched(screen.seat.code)
            task = asyncio.create_task(self.watch(watched))  # it begins when this one is counted
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        watched.screens.add(screen)
        self.of_visitor[screen.visitor] += 1
        if len(watched.screens) == 1 or screen.seat.leads:
            watched.counted = -COUNT
        watched.stirred.set()
        return watched

    async def watch(self, watched: Watched) -> None:
        """Look at a class for as long as it has screens here."""
        while watched.screens:
            watched.stirred.clear()
            try:
                self.look(watched)
                if watched.to_all.get("away"):
                    watched.tell(away=False)
            except GoneError:
                watched.is_over = True
                watched.tell(over=True)
                break
            except Exception:
                log.exception("A class could not be looked at")
                watched.counts = None
                watched.tell(away=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(watched.stirred.wait(), LOOK)
        if self.watched.get(watched.code) is watched:
            del self.watched[watched.code]

    def look(self, watched: Watched) -> None:
        """Look once: at how far the class is, and at more where that has changed or it is time."""
        room, time, teacher = self.room(), monotonic(), watched.teacher
        counts = room.now(watched.code).counts
        if counts != watched.counts:
            watched.counts = counts
            if teacher is not None:
                watched.to_teachers["results"] = read_results(room, teacher)
                watched.to_teachers["class"] = read(room, watched.code, leads=True)
            watched.counted = -COUNT
            watched.tell(**{"class": read(room, watched.code)})
        if teacher is not None and time - watched.counted >= COUNT:
            counted = read_counts(room, teacher)
            if "results" not in watched.to_teachers:
                counted["results"] = read_results(room, teacher)
            watched.counted = time
            if any(watched.to_teachers.get(name) != value for name, value in counted.items()):
                watched.to_teachers |= counted
                watched.tell()
        if time - watched.heard >= HEARD:
            watched.heard = time
            for screen in watched.screens:
                room.here(screen.seat)


def read(room: Classroom, code: str, *, leads: bool = False) -> dict[str, Any]:
    """Return what a class shows and asks now; of what is covered a screen is told only if it leads."""
    now = room.now(code)
    seen = now.shown if leads or not now.covered else {}
    query = {name.removeprefix("q:"): text for name, text in seen.items() if name.startswith("q:")}
    shown = {"number": now.counts.shown, "page": seen.get("page", ""), "query": query}
    parts: dict[str, Any] = {"led": now.counts.led, "shown": shown, "covered": now.covered}
    parts |= {"asked": None, "results": None}
    if now.asked is not None:
        parts["asked"] = now.asked.question.public() | {"round": now.asked.round, "phase": now.asked.phase}
        if now.asked.phase in ("answers", "shown"):
            parts["results"] = results.spelled(room.results(code))
    return parts


def read_own(room: Classroom, seat: Seat) -> dict[str, Any]:
    """Return what a pupil has answered to what is asked, and sent: a tab that is loaded anew shows it."""
    try:
        return room.own(seat)
    except GoneError:
        return {"answer": None, "sentence": ""}


def read_results(room: Classroom, teacher: Seat) -> list[dict[str, Any]]:
    """Return what was answered to the questions before."""
    return [results.spelled(each) | {"ask": each.question.ask} for each in room.all_results(teacher)]


def read_counts(room: Classroom, teacher: Seat) -> dict[str, Any]:
    """Return how many are there, follow and have answered; and the sentences that pupils sent."""
    wall = [{"name": name, "sentence": sentence} for name, sentence in room.wall(teacher).items()]
    return {"counts": room.counts(teacher), "wall": wall}
