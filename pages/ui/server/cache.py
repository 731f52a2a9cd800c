"""Results that all sessions share, by what was asked for: bounded in bytes, and never made twice at once."""

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, is_dataclass
from typing import Any

import cachetools
import numpy as np
import torch

SMALL = 64  # bytes that stand for any other object


def nbytes(value: Any) -> int:
    """About how much memory a result holds: its tensors, arrays and texts, wherever they are in it."""
    if isinstance(value, torch.Tensor):
        return value.untyped_storage().nbytes()
    if isinstance(value, np.ndarray | bytes):
        return value.nbytes if isinstance(value, np.ndarray) else len(value)
    if isinstance(value, str):
        return SMALL + len(value)
    if isinstance(value, Mapping):
        return SMALL + sum(nbytes(key) + nbytes(one) for key, one in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return SMALL + sum(map(nbytes, value))
    if is_dataclass(value):
        return SMALL + sum(nbytes(getattr(value, field.name)) for field in fields(value))
    return SMALL


class Results:
    """What a function returned for the arguments it was called with, as much of it as fits; the oldest goes first.

    `slot` is entered while something is made. A result larger than all that may be kept is handed out and not kept.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        most_bytes: int,
        size: Callable[[Any], int] = nbytes,
        slot: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.make, self.slot = make, slot
        self.kept: cachetools.LRUCache[tuple[object, ...], Any] = cachetools.LRUCache(most_bytes, getsizeof=size)
        self.lock = threading.Condition()
        self.get = cachetools.cached(self.kept, condition=self.lock)(self.fresh)

    def fresh(self, *asked: Any) -> Any:
        """Make it now."""
        with self.slot():
            return self.make(*asked)

    def has(self, *asked: object) -> bool:
        """Whether it is kept."""
        return asked in self.kept

    def forget(self, first: object) -> None:
        """Let go of everything that was asked for with this first argument."""
        with self.lock:
            for key in [key for key in self.kept if key[0] == first]:
                del self.kept[key]
