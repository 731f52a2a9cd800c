"""Where classes are kept: what a store can do, and what bounds it. It knows nothing of rules; `classroom` does."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from encoder.support.errors import EncoderError

MOST_CLASSES = 200  # that are open at once
MOST_ENTRIES = 200_000  # answers and sentences of all classes together, in a server's own memory
MOST_OF_ONE = 40  # of them, that one address may have open
TAG = 8  # characters that the keys of all seats from one address begin with
PRESENT = 15.0  # seconds after which who was not heard of is not there any more


class StoreError(EncoderError):
    """The store cannot be reached or read, or it is full."""


@dataclass(frozen=True)
class Room:
    """For how many keys there is room, and for how many with the same tag, the first TAG characters."""

    most: int
    share: int | None = None

    def is_full(self, keys: Iterable[str], key: str) -> bool:
        """Whether there is no room for one more key, or none for one more of its tag."""
        there = list(keys)
        alike = sum(one[:TAG] == key[:TAG] for one in there)
        return len(there) >= self.most or (self.share is not None and alike >= self.share)


class Store(Protocol):
    """Classes by their codes: fields of text, numbers that only grow, tables of entries, and who is there.

    What a class has goes at once when its time is over. Every method raises StoreError where the store is not to be
    reached, or holds what none of them has written.
    """

    now: Callable[[], float]  # a clock in seconds

    def create(
        self, code: str, fields: Mapping[str, str], seconds: float, idle: float | None = None, by: str = ""
    ) -> bool:
        """Make a class that lasts so long, or `idle` where nobody is heard of; False where one has that code.

        StoreError where there are too many, or too many of those who open this one, `by` a name.
        """

    def touch(self, code: str, idle: float, leads: bool) -> None:
        """Note that somebody was heard of: the class lasts `idle` seconds from now, and not beyond its time.

        The number "led" is when a teacher was heard of last, in milliseconds of the clock.
        """

    def fields(self, code: str) -> dict[str, str] | None:
        """All fields of a class; None where there is none of that code."""

    def numbers(self, code: str, *names: str) -> tuple[int, ...] | None:
        """Some of its numbers, 0 where one was never counted; None where there is no such class."""

    def write(self, code: str, fields: Mapping[str, str], counter: str) -> None:
        """Set fields and count a number up, both at once; nothing where there is no such class."""

    def put(self, code: str, table: str, key: str, value: str, room: Room, only: tuple[str, str] = ("", "")) -> bool:
        """Set the entry of a key in a table that has room for it, where the class's field `only` has that value."""

    def drop(self, code: str, table: str, key: str) -> None:
        """Take the entry of a key out of a table."""

    def entries(self, code: str, table: str) -> dict[str, str]:
        """All entries of a table, by key, in the order in which the keys came first."""

    def count(self, code: str, table: str) -> int:
        """How many entries a table has."""

    def seen(self, code: str, key: str, room: Room, follows: bool) -> None:
        """Note that somebody is there now, and whether they follow; there is room as in `put`."""

    def present(self, code: str) -> tuple[int, int]:
        """How many are there, and how many of them follow."""

    def remove(self, code: str) -> None:
        """Forget a class and all that it has."""

    def tries(self, name: str) -> int:
        """How often something was tried lately."""

    def tried(self, name: str, seconds: float) -> None:
        """Count that it was tried; the count begins anew so many seconds after the first of them."""
