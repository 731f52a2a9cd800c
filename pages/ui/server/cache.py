"""Results that all sessions share, by what was asked for: bounded in bytes, and never made twice at once."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import torch

from pages.ui.server.pool import Budget, Key, Loan, Pool

P = ParamSpec("P")
R = TypeVar("R")
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
        super().__init__(make, most_bytes, expected=lambda *asked: 0, size=size, let_go=forgotten, budget=budget)

    def __call__(self, *asked: P.args, **_: P.kwargs) -> R:
        """The result for these arguments: the kept one, or a new one."""
        result: R = self.get(*asked)
        return result

    def lend(self, key: Key, loan: Loan | None) -> Any:
        """Hand out what is kept; it may go at any time."""
        return super().lend(key, None)

    def has(self, *asked: object) -> bool:
        """Whether it is kept."""
        return asked in self.kept


def forgotten(key: Key, value: Any) -> None:
    """A result that is not kept any more gives up nothing: it goes when nobody holds it."""
