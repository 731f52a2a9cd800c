"""One stop of the story, and what all of them are about.

A stop is a question to guess, its options, what the run answers, and what there is to see. The story is about a strong
look from a word to another word, and the head that does it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np

from encoder.metrics import attention_weights
from encoder.metrics.word_kinds import is_word
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

PictureKind = Literal["tokens", "bars", "lines", "race", "arcs", "heads"]
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
    text = {say(answer): answer}
    for other in others:
        if len(text) < MOST_OPTIONS:
            text.setdefault(say(other), other)
    names: list[str] = sorted(text, key=lambda name: text[name])
    place = names.index(say(answer))
    return (tuple(names) if len(names) > 1 else (*names, spare)), place


def band(value: float, limits: Sequence[float]) -> int:
    """In which of the stretches between the limits a value is; on a limit it is in the upper one."""
    return sum(value >= limit for limit in limits)


def best_first(values: np.ndarray[Any, Any], among: Sequence[int]) -> list[int]:
    """Some positions by their values, the largest first; among equals the earlier one."""
    return sorted(among, key=lambda i: (-float(values[i]), i))


@dataclass(frozen=True)
class Subject:
    """The word that is followed, the one it looks at most of all `others`, in which layer and head, and how it excels.

    `others` are the positions that it could have looked at: the other words; where there is no other word, the other
    tokens; where there is no other token, itself. `words` tells whether they are words. `excels` says among which
    looks this one is the strongest; empty where that is nothing to say.
    """

    word: int
    looked_at: int
    layer: int
    head: int
    others: tuple[int, ...]
    words: bool
    excels: str


def subject(trace: Trace, word: int | None = None) -> Subject:
    """The strongest look from one word to another in the second half of the layers, the first among equals.

    With `word`, a position, the strongest look of that one.

    Heads of the first layers look at places more than at words, and many look at the next word or the one before,
    whatever it is. So a look past these comes first, where some head looks most at a word that is not beside it.
    """
    first, count = trace.config.n_layers // 2, trace.config.n_layers
    n, is_written = len(tokens(trace)), is_word(trace)
    words = [i for i in range(n) if is_written[i]]
    several = len(words) > 1
    queries = words or [i for i in range(n) if trace.tokenization.typed(i).strip()] or [0]
    keys = words if several else list(range(n))
    if word is not None:
        queries, several = [word], len([i for i in words if i != word]) > 0
        keys = words if several else list(range(n))
    weights = attention_weights(trace)[first:].numpy().astype(np.float64)[:, :, queries][..., keys]
    apart = np.abs(np.subtract.outer(queries, keys))
    if n > 1:
        weights[..., apart == 0] = -1.0
    far = np.where(apart > 1, weights, -1.0)
    past = far.max(-1, keepdims=True) >= weights.max(-1, keepdims=True)  # rows that look most past their neighbours
    among = np.where(past, far, -1.0) if several and past.any() else weights
    layer, head, query, key = (int(i) for i in np.unravel_index(among.argmax(), among.shape))
    excels = "" if n < 2 else "its strongest look at another token"
    if several:
        excels = "the strongest look from a word at another" if word is None else "its strongest look at another word"
    if among is not weights:
        whole = among.max() >= far.max()
        excels = f"{excels} that does not stand beside it" if whole else ""
    if excels:
        excels = f"in {f'layers {first} to {count - 1}' if count - first > 1 else 'this layer'} {excels}"
    at = queries[query]
    others = tuple(i for i in keys if i != at) or (at,)
    return Subject(at, keys[key], first + layer, head, others, several, excels)
