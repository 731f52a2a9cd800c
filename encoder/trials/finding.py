"""What a trial finds: a number, what it says, and whether the claim stands."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from torch import Tensor


class Verdict(StrEnum):
    """Whether a claim stands before the number that was measured a moment ago."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    FAILS = "does not hold"
    UNTRIED = "cannot be tried here"


@dataclass(frozen=True)
class Curves:
    """Up to four lines over the same x; `titles` name the axes x and y."""

    series: dict[str, np.ndarray]
    x: np.ndarray
    titles: tuple[str, str]
    logarithmic: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class Bars:
    """One or two bars for each name; on a logarithmic axis where one of them may be rounding errors."""

    series: dict[str, np.ndarray]
    names: list[str]
    title: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Grid:
    """A matrix of signed numbers, or of shares from 0 to 1."""

    values: np.ndarray
    rows: list[str]
    columns: list[str]
    share: bool = True


Picture = Curves | Bars | Grid


@dataclass(frozen=True)
class Finding:
    """The outcome of a trial.

    `value` is the number that decides, `what` says what it is, `sentence` tells all that was measured; `verdict`
    follows from the number. `picture` holds the numbers behind it for a drawing.
    """

    value: float
    what: str
    sentence: str
    verdict: Verdict
    picture: Picture | None = None


def judge(holds: bool, condition: bool = False) -> Verdict:
    """The verdict: the claim holds; or only the weaker form does; or neither."""
    return Verdict.HOLDS if holds else Verdict.CONDITION if condition else Verdict.FAILS


def untried(why: str) -> Finding:
    """A trial that this model cannot decide."""
    return Finding(float("nan"), "", why, Verdict.UNTRIED)


def array(values: Tensor | Iterable[float]) -> np.ndarray:
    """Plain numbers for a picture."""
    return values.double().numpy() if isinstance(values, Tensor) else np.array(list(values), dtype=np.float64)
