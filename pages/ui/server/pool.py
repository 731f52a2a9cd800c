"""Large things that all visitors share: made when asked for first, lent to a script or a request, and let go after.

A thing is on loan from when a script or a request asks for it until that ends. What is not on loan stays as long as it
fits and was used lately. What is let go gives up its memory at once, whoever still holds it. A budget is shared by
several pools: where they need more together, what was used longest ago goes, whatever it is.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from time import monotonic
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import torch

from encoder.support.progress import pulse
from pages.ui.server.lane import aside

LOOK = 0.25  # seconds between two looks at whether the person still waits
Key = tuple[object, ...]
P = ParamSpec("P")
R = TypeVar("R")
SMALL = 64  # bytes that stand for any other object


@dataclass(eq=False)
class Loan:
    """What one run of a script, or one request, has borrowed."""

    things: set[tuple["Pool", Key]] = field(default_factory=set)


@dataclass
class Entry:
    """A thing that is kept, its size in bytes, when it was last used, and the loans it is part of."""

    value: Any
    nbytes: int
    used: float
    loans: set[Loan] = field(default_factory=set)


_loan: ContextVar[Loan | None] = ContextVar("loan", default=None)


@contextmanager
def borrowing() -> Iterator[None]:
    """For the block, what this thread asks for is on loan; a block within another is part of that."""
    if _loan.get() is not None:
        yield
        return
    loan = Loan()
    before = _loan.set(loan)
    try:
        yield
    finally:
        _loan.reset(before)
        for pool in {pool for pool, _ in loan.things}:
            pool.end(loan)


class Budget:
    """Bytes that several pools may hold together.

    Args:
        most_bytes: what all their things may hold.
        left: how many bytes the process can really still have, whatever holds the others.
        give_back: hands freed memory back to the system.
    """

    def __init__(
        self,
        most_bytes: float,
        left: Callable[[], float] = lambda: math.inf,
        give_back: Callable[[], None] = lambda: None,
    ) -> None:
        self.most_bytes, self.left, self.give_back = most_bytes, left, give_back
        self.pools: list[Pool] = []
        self.changed = threading.Condition(threading.RLock())

    @property
    def held(self) -> int:
        """Bytes of all that the pools keep or make."""
        with self.changed:  # of all pools, in one moment
            return sum(pool.held for pool in self.pools)

    def fits(self, more: int) -> bool:
        """Whether so many bytes more can be had."""
        return self.held + more <= self.most_bytes and more <= self.left()

    def trim(self, more: int = 0) -> None:
        """Let go of what was used longest ago, until `more` bytes fit or all the rest is on loan."""
        while not self.fits(more) and self.drop_one():
            if more > self.left():  # what was freed may not be with the system yet
                self.give_back()

    def drop_one(self, *pools: "Pool") -> bool:
        """Let go of one thing that is not on loan, of these pools or of all; False where there is none.

        What is too large to stay at all goes first, then what was used longest ago.
        """
        with self.changed:
            idle = [
                (entry.nbytes <= pool.most_bytes, pool.stays(key), entry.used, pool, key)
                for pool in pools or self.pools
                for key, entry in pool.kept.items()
                if not entry.loans
            ]
            if idle:
                *_, pool, key = min(idle, key=lambda each: each[:3])
                pool.drop(key)
            return bool(idle)


class Pool:
    """Things by what was asked for, all together of `most_bytes` unless those on loan are more.

    Args:
        make: makes one; called once for all who ask at the same time.
        most_bytes: what all may hold.
        expected: about how many bytes one will take, before it is made.
        size: how many it takes.
        let_go: has one give up its memory; else it goes when nobody holds it.
        stays: which ones go last, and never because nobody has used them lately.
        one_by_one: one is made at a time, and nothing makes room for the next before its turn comes.
        budget: of bytes, shared with other pools.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        most_bytes: float,
        *,
        expected: Callable[..., int],
        size: Callable[[Any], int],
        let_go: Callable[[Key, Any], None] = lambda key, value: None,
        stays: Callable[[Key], bool] = lambda key: False,
        one_by_one: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self.stays, self.one_by_one = stays, one_by_one
        self.budget = budget or Budget(math.inf)
        self.budget.pools.append(self)
        self.make, self.most_bytes, self.expected, self.size, self.let_go = make, most_bytes, expected, size, let_go
        self.kept: OrderedDict[Key, Entry] = OrderedDict()  # used longest ago first
        self.making: dict[Key, int] = {}  # bytes that are expected
        self.makers: list[int] = []  # the threads that make them, one more than once where a thing needs another
        self.made = 0  # how many, since the server began
        self.changed = self.budget.changed  # one for all pools that share: who lets go of a model lets go of its runs

    def get(self, *key: object) -> Any:
        """The thing that is asked for, on loan where a loan is open."""
        loan = _loan.get()
        while True:
            with self.changed:
                if key in self.kept:
                    return self.lend(key, loan)
                if key not in self.making:
                    self.making[key] = 0
                    break
                with aside():
                    self.changed.wait(LOOK)
            pulse()
        me = threading.get_ident()
        try:
            self.admit(key, self.expected(*key), loan)
            self.makers.append(me)
            try:
                value = self.make(*key)
            finally:
                self.makers.remove(me)
            with self.changed:
                self.made += 1
                self.kept[key] = Entry(value, self.size(value), monotonic())
                return self.lend(key, loan)
        finally:
            with self.changed:
                del self.making[key]
                self.trim()
                self.changed.notify_all()

    def has(self, *key: object) -> bool:
        """Whether it is kept."""
        return key in self.kept

    def peek(self, *key: object) -> Any:
        """What is kept, else None: nothing is made, and nothing lent."""
        entry = self.kept.get(key)
        return None if entry is None else entry.value

    def lend(self, key: Key, loan: Loan | None) -> Any:
        """Hand out what is kept."""
        entry = self.use(key)
        if loan is not None:
            entry.loans.add(loan)
            loan.things.add((self, key))
        return entry.value

    def use(self, key: Key) -> Entry:
        """Note that a thing was used just now."""
        entry = self.kept[key]
        entry.used = monotonic()
        self.kept.move_to_end(key)
        return entry

    def admit(self, key: Key, nbytes: int, loan: Loan | None) -> None:
        """Wait until there is room. Who has something on loan already does not wait: others may wait for that."""
        while True:
            with self.changed:
                making = any(self.making.values())
                ours = loan is not None and any(pool is self for pool, _ in loan.things)
                ours = ours or threading.get_ident() in self.makers  # it is part of what is made
                if ours or not (self.one_by_one and making):
                    self.trim(nbytes)
                    others = making or any(entry.loans for entry in self.kept.values())
                    fits = self.held + nbytes <= self.most_bytes and self.budget.fits(nbytes)
                    if ours or not others or fits:
                        self.making[key] = nbytes
                        return
                with aside():
                    self.changed.wait(LOOK)
            pulse()

    @property
    def held(self) -> int:
        """Bytes of all that is kept or in the making."""
        with self.changed:
            return sum(entry.nbytes for entry in self.kept.values()) + sum(self.making.values())

    def end(self, loan: Loan) -> None:
        """Take a loan back: what was borrowed may go."""
        with self.changed:
            mine = {key for pool, key in loan.things if pool is self}
            for key in [key for key in self.kept if key in mine]:
                self.kept[key].loans.discard(loan)
                self.use(key)
            self.trim()
            self.changed.notify_all()

    def trim(self, more: int = 0) -> None:
        """Let go of what was used longest ago, until `more` bytes fit or all the rest is on loan."""
        while self.held + more > self.most_bytes and self.budget.drop_one(self):
            pass
        self.budget.trim(more)

    def drop(self, key: Key) -> None:
        """Let go of one thing."""
        entry = self.kept.pop(key)
        self.let_go(key, entry.value)

    def forget(self, first: object) -> None:
        """Let go of everything that was asked for with this first argument."""
        with self.changed:
            for key in [key for key in self.kept if key[0] == first]:
                self.drop(key)

    def clear(self) -> None:
        """Let go of everything."""
        with self.changed:
            for key in list(self.kept):
                self.drop(key)

    def drop_idle(self, seconds: float) -> bool:
        """Let go of what nobody has used for so long; whether there was any."""
        with self.changed:
            before = monotonic() - seconds
            gone = [
                key
                for key, entry in self.kept.items()
                if not entry.loans and entry.used < before and not self.stays(key)
            ]
            for key in gone:
                self.drop(key)
            return bool(gone)


def nbytes(value: Any) -> int:
    """About how much memory a result holds: its tensors, arrays and texts, wherever they are in it."""
    if isinstance(value, torch.Tensor):
        return value.untyped_storage().nbytes()
    if isinstance(value, np.ndarray | bytes):
        return value.nbytes if isinstance(value, np.ndarray) else len(value)
    if isinstance(value, str):
        return SMALL + len(value)
    if isinstance(value, Mapping):
        return SMALL + sum(nbytes(key) + nbytes(each) for key, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return SMALL + sum(map(nbytes, value))
    if is_dataclass(value):
        return SMALL + sum(nbytes(getattr(value, field.name)) for field in fields(value))
    return SMALL


class Results(Pool, Generic[P, R]):
    """What a function returned for the arguments it was called with, as much of it as fits; the oldest goes first.

    It is called as the function is, with arguments by position. A result larger than all that may be kept is handed out
    and not kept. Whoever was given one keeps it.
    """

    def __init__(
        self,
        make: Callable[P, R],
        most_bytes: float,
        size: Callable[[Any], int] = nbytes,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(make, most_bytes, expected=lambda *asked: 0, size=size, budget=budget)

    def __call__(self, *asked: P.args, **_: P.kwargs) -> R:
        """The result for these arguments: the kept one, or a new one."""
        result: R = self.get(*asked)
        return result

    def lend(self, key: Key, loan: Loan | None) -> Any:
        """Hand out what is kept; it may go at any time."""
        return super().lend(key, None)
