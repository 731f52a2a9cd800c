"""What a trial finds: a number, what it says, and whether the claim stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from torch import Tensor

from encoder.trace.trace import Trace

AXES = {"H": "head", "n": "token", "d_ff": "unit"}  # what a place on an axis of a step is called; else a dimension


class Verdict(StrEnum):
    """Whether a claim stands before the number that was measured, now or when it was stored."""

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
class Judgement:
    """Whether a claim stands; where it does not, `condition` says under what it does, empty where under none."""

    holds: bool
    condition: str = ""

    @property
    def verdict(self) -> Verdict:
        """The judgement in a word."""
        return Verdict.HOLDS if self.holds else Verdict.CONDITION if self.condition else Verdict.FAILS


@dataclass(frozen=True)
class Finding:
    """The outcome of a trial.

    `value` is the number that decides, `what` says what it is, `measured` tells all that was measured; the verdict
    follows from the number, and is that the model cannot decide without a judgement. `picture` holds the numbers behind
    it for a drawing.
    """

    value: float
    what: str
    measured: str
    judgement: Judgement | None
    picture: Picture | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether the claim stands."""
        return self.judgement.verdict if self.judgement else Verdict.UNTRIED

    @property
    def sentence(self) -> str:
        """All that was measured, with the condition under which the claim holds where it does under one."""
        if self.judgement is None or self.verdict is not Verdict.CONDITION:
            return self.measured
        return f"{self.measured} The condition: {self.judgement.condition}."


def by_layer(series: dict[str, Tensor | Iterable[float]], title: str) -> Bars:
    """Bars for each layer."""
    values = {name: array(numbers) for name, numbers in series.items()}
    return Bars(values, [f"layer {i}" for i in range(len(next(iter(values.values()))))], title)


def by_head(values: Tensor) -> Grid:
    """A grid of signed numbers, one for each head of each layer: [n_layers, H]."""
    layers, heads = values.shape
    return Grid(array(values), [f"layer {i}" for i in range(layers)], [f"head {h}" for h in range(heads)], share=False)


def judge(holds: bool, condition: str = "") -> Judgement:
    """The judgement: the claim holds; or under a condition, said without a full stop; or not at all."""
    return Judgement(holds, "" if holds else condition)


def untried(why: str) -> Finding:
    """A trial that this model cannot decide."""
    return Finding(float("nan"), "", why, None)


def array(values: Tensor | Iterable[float]) -> np.ndarray:
    """Plain numbers for a picture."""
    return values.double().numpy() if isinstance(values, Tensor) else np.array(list(values), dtype=np.float64)


def titled(trace: Trace, step: str, index: Sequence[int] = ()) -> str:
    """Return what a step of a run is called, with its layer, and with the place of one of its numbers."""
    entry, (group, _, rest) = trace.step(step), step.partition(".")
    where = [f"layer {rest.partition('.')[0]}"] if group == "layers" else []
    for axis, at in zip(entry.shape, index, strict=False):
        where.append(f"{AXES.get(axis, 'dimension')} {at}" + (f" (“{trace.tokens[at]}”)" if axis == "n" else ""))
    return ", ".join([entry.title, *where])
