"""One stop of the story: a question to guess, its options, what the run answers, and what there is to see."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np

from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

PictureKind = Literal["tokens", "bars", "lines", "race", "arcs", "heads", "map"]
T = TypeVar("T", int, str)
MOST_OPTIONS = 4


@dataclass(frozen=True)
class Values:
    """The numbers of a chart: up to four series over the same names, and what they are called together.

    `at` are the positions of the names, where some are not drawn, and `left_out` says of the others why.
    """

    series: dict[str, np.ndarray[Any, Any]]
    names: list[str]
    title: str
    at: tuple[int, ...] | None = None
    left_out: str = ""


@dataclass(frozen=True)
class StoryStop:
    """A question about a run with 2 to 4 options, the place of the right one, and the sentence that answers it.

    `picture` says which kind of picture shows it, `values` its numbers where it is a chart. `word` is the position that
    is asked about, `layer` and `head` where, `seen` the one that it looks at; None where it is all of them. `page` and
    `step` are what explains it, and `choices` what a link to that page would say beside that. `masked` is the text that
    was read with the mask in place of the word, empty where the run itself is asked.
    """

    name: str
    question: str
    options: tuple[str, ...]
    answer: int
    sentence: str
    picture: PictureKind
    page: str
    values: Values | None = None
    word: int | None = None
    layer: int | None = None
    head: int | None = None
    seen: int | None = None
    step: str = ""
    chapter: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    masked: str = ""


def called(trace: Trace, position: int) -> str:
    """A token in quotation marks, with its position where another one is called the same."""
    names = [shown(token) for token in tokens(trace)]
    name = names[position]
    return f"“{name}” ({position})" if names.count(name) > 1 else f"“{name}”"


def options(
    answer: T, others: Iterable[T], say: Callable[[T], str] = str, spare: str = "none"
) -> tuple[tuple[str, ...], int]:
    """Up to four options in their own order, and the place of the right one; `spare` stands beside a lonely one."""
    said = {say(answer): answer}
    for other in others:
        if len(said) < MOST_OPTIONS:
            said.setdefault(say(other), other)
    names: list[str] = sorted(said, key=lambda name: said[name])
    place = names.index(say(answer))
    return (tuple(names) if len(names) > 1 else (*names, spare)), place


def band(value: float, limits: Sequence[float]) -> int:
    """In which of the stretches between the limits a value is; on a limit it is in the upper one."""
    return sum(value >= limit for limit in limits)


def best_first(values: np.ndarray[Any, Any], among: Sequence[int]) -> list[int]:
    """Some positions by their values, the largest first; among equals the earlier one."""
    return sorted(among, key=lambda i: (-float(values[i]), i))
