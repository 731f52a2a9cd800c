"""Where classes are kept: what a store can do, and what bounds it. It knows nothing of rules; `classroom` does."""

from collections.abc import Mapping
from typing import Protocol

from encoder.errors import EncoderError

MOST_CLASSES = 200  # that are open at once
MOST_ENTRIES = 200_000  # answers and sentences of all classes together, in a server's own memory
PRESENT = 15.0  # seconds after which who was not heard of is not there any more


class StoreError(EncoderError):
    """The store cannot be reached, or it is full."""


class Store(Protocol):
    """Classes by their codes: fields of text, numbers that only grow, tables of entries, and who is there.

    What a class has goes at once when its time is over. Every method raises StoreError where the store is not to be
    reached.
    """

    def create(self, code: str, fields: Mapping[str, str], seconds: float) -> bool:
        """Make a class that lasts so long; False where one has that code. StoreError where there are too many."""

    def fields(self, code: str) -> dict[str, str] | None:
        """All fields of a class; None where there is none of that code."""

    def numbers(self, code: str, *names: str) -> tuple[int, ...] | None:
        """Some of its numbers, 0 where one was never counted; None where there is no such class."""

    def write(self, code: str, fields: Mapping[str, str], counter: str) -> None:
        """Set fields and count a number up, both at once; nothing where there is no such class."""

    def put(self, code: str, table: str, key: str, value: str, most: int, only: tuple[str, str] = ("", "")) -> bool:
        """Set the entry of a key in a table of at most so many, where the class's field `only` has that value."""

    def drop(self, code: str, table: str, key: str) -> None:
        """Take the entry of a key out of a table."""

    def entries(self, code: str, table: str) -> dict[str, str]:
        """All entries of a table, by key, in the order in which the keys came first."""

    def count(self, code: str, table: str) -> int:
        """How many entries a table has."""

    def seen(self, code: str, key: str, most: int, follows: bool) -> None:
        """Note that somebody is there now, among at most so many, and whether they follow."""

    def present(self, code: str) -> tuple[int, int]:
        """How many are there, and how many of them follow."""

    def remove(self, code: str) -> None:
        """Forget a class and all that it has."""

    def tries(self, name: str) -> int:
        """How often something was tried lately."""

    def tried(self, name: str, seconds: float) -> None:
        """Count that it was tried; the count begins anew so many seconds after the first of them."""
