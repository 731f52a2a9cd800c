"""Classes in the memory of this server: nothing to install, and gone when it ends."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from pages.ui.classroom.store import MOST_CLASSES, MOST_ENTRIES, MOST_OF_ONE, PRESENT, Room, StoreError

MOST_NAMES = 10_000  # whose tries are counted


@dataclass
class Kept:
    """One class.

    `until` is when it ends unless somebody is heard of, `last` when it ends at the latest, `by` who opened it, and
    `seen` when each was last heard of, and whether they follow.
    """

    until: float
    last: float
    by: str
    fields: dict[str, str]
    numbers: dict[str, int] = field(default_factory=dict)
    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: dict[str, tuple[float, bool]] = field(default_factory=dict)


class MemoryStore:
    """A store for one server. `now` is a clock in seconds."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self.lock = threading.RLock()
        self.classes: dict[str, Kept] = {}
        self.tried_: dict[str, tuple[float, int]] = {}

    def of(self, code: str) -> Kept | None:
        """The class of a code, if its time is not over."""
        for old in [one for one, kept in self.classes.items() if kept.until <= self.now()]:
            del self.classes[old]
        return self.classes.get(code)

    @property
    def held(self) -> int:
        """How many entries all tables of all classes have."""
        return sum(len(table) for kept in self.classes.values() for table in kept.tables.values())

    def create(
        self, code: str, fields: Mapping[str, str], seconds: float, idle: float | None = None, by: str = ""
    ) -> bool:
        """Make a class."""
        with self.lock:
            if self.of(code) is not None:
                return False
            if len(self.classes) >= MOST_CLASSES:
                raise StoreError(f"{MOST_CLASSES} classes are open already, and no more than that may be")
            if by and sum(kept.by == by for kept in self.classes.values()) >= MOST_OF_ONE:
                raise StoreError(f"{MOST_OF_ONE} classes are open from here already, and no more than that may be")
            until = self.now() + (seconds if idle is None else min(idle, seconds))
            self.classes[code] = Kept(until, self.now() + seconds, by, dict(fields), {"led": int(1000 * self.now())})
            return True

    def touch(self, code: str, idle: float, leads: bool) -> None:
        """Note that somebody was heard of."""
        with self.lock:
            if kept := self.of(code):
                kept.until = min(kept.last, self.now() + idle)
                if leads:
                    kept.numbers["led"] = int(1000 * self.now())

    def fields(self, code: str) -> dict[str, str] | None:
        """All fields."""
        with self.lock:
            kept = self.of(code)
            return None if kept is None else dict(kept.fields)

    def numbers(self, code: str, *names: str) -> tuple[int, ...] | None:
        """Some numbers."""
        with self.lock:
            kept = self.of(code)
            return None if kept is None else tuple(kept.numbers.get(name, 0) for name in names)

    def write(self, code: str, fields: Mapping[str, str], counter: str) -> None:
        """Set fields and count up."""
        with self.lock:
            if kept := self.of(code):
                kept.fields |= fields
                kept.numbers[counter] = kept.numbers.get(counter, 0) + 1

    def put(self, code: str, table: str, key: str, value: str, room: Room, only: tuple[str, str] = ("", "")) -> bool:
        """Set an entry."""
        with self.lock:
            kept = self.of(code)
            if kept is None or (only[0] and kept.fields.get(only[0]) != only[1]):
                return False
            entries = kept.tables.setdefault(table, {})
            if key not in entries and (room.is_full(entries, key) or self.held >= MOST_ENTRIES):
                return False
            entries[key] = value
            return True

    def drop(self, code: str, table: str, key: str) -> None:
        """Take an entry out."""
        with self.lock:
            if kept := self.of(code):
                kept.tables.get(table, {}).pop(key, None)

    def entries(self, code: str, table: str) -> dict[str, str]:
        """All entries."""
        with self.lock:
            kept = self.of(code)
            return dict(kept.tables.get(table, {})) if kept else {}

    def count(self, code: str, table: str) -> int:
        """How many entries."""
        with self.lock:
            kept = self.of(code)
            return len(kept.tables.get(table, {})) if kept else 0

    def seen(self, code: str, key: str, room: Room, follows: bool) -> None:
        """Note that somebody is there."""
        with self.lock:
            if kept := self.of(code):
                self.forget_who_left(kept)
                if key in kept.seen or not room.is_full(kept.seen, key):
                    kept.seen[key] = (self.now(), follows)

    def present(self, code: str) -> tuple[int, int]:
        """How many are there, and follow."""
        with self.lock:
            kept = self.of(code)
            if kept is None:
                return 0, 0
            self.forget_who_left(kept)
            return len(kept.seen), sum(follows for _, follows in kept.seen.values())

    def forget_who_left(self, kept: Kept) -> None:
        """Keep only who was heard of lately."""
        kept.seen = {key: one for key, one in kept.seen.items() if one[0] > self.now() - PRESENT}

    def remove(self, code: str) -> None:
        """Forget a class."""
        with self.lock:
            self.classes.pop(code, None)

    def tries(self, name: str) -> int:
        """How often it was tried."""
        with self.lock:
            until, count = self.tried_.get(name, (0.0, 0))
            return count if until > self.now() else 0

    def tried(self, name: str, seconds: float) -> None:
        """Count a try."""
        with self.lock:
            now = self.now()
            if len(self.tried_) >= MOST_NAMES:
                self.tried_ = {one: kept for one, kept in self.tried_.items() if kept[0] > now}
            until, count = self.tried_.get(name, (0.0, 0))
            if until <= now:
                until, count = now + seconds, 0
            if name in self.tried_ or len(self.tried_) < MOST_NAMES:
                self.tried_[name] = (until, count + 1)
