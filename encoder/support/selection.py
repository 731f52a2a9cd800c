"""Which of some tokens a picture draws, and what it says of the others; a film is made with this and without torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from encoder.support.formatting import listed, percent, shown

Choice = Literal["all", "words", "letters"]
CHOICES: tuple[Choice, ...] = get_args(Choice)
TokenKind = Literal["word", "mark", "special"]
LEFT_OUT: dict[Choice, tuple[TokenKind, ...]] = {"all": (), "words": ("special",), "letters": ("special", "mark")}
MOST_NAMED = 6  # tokens that are each named among those left out


@dataclass(frozen=True)
class Selection:
    """Which of some tokens, or words, are drawn: their places `at`, in order, and the names of those `left_out`."""

    names: tuple[str, ...]
    at: tuple[int, ...]
    left_out: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether all are drawn."""
        return not self.left_out

    @property
    def drawn(self) -> list[str]:
        """The names of those that are drawn."""
        return [self.names[i] for i in self.at]

    def cut(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The rows and columns that are drawn of values [..., n, n], as they are."""
        return values if self.whole else values[..., self.at, :][..., self.at]

    def outside(self, weights: np.ndarray[Any, Any]) -> float:
        """The share of the weight of the rows drawn that rests on columns left out, of weights [..., n, n]."""
        rows = weights[..., self.at, :].astype(np.float64)
        others = [i for i in range(len(self.names)) if i not in set(self.at)]
        with np.errstate(invalid="ignore"):
            return float(rows[..., others].sum() / rows.sum())

    @property
    def left_out_named(self) -> str:
        """The names of those left out, in a row."""
        names = [shown(name) if name[:1] in "[<" else f"“{shown(name)}”" for name in self.left_out[:MOST_NAMED]]
        more = len(self.left_out) - len(names)
        return listed([*names, f"{more} other{'s' if more > 1 else ''}"] if more else names)

    def sentence(self, weights: np.ndarray[Any, Any] | None = None) -> str:
        """What is not drawn, and how much weight rests there if that is a number; empty where everything is drawn."""
        if self.whole:
            return ""
        rest = math.nan if weights is None else self.outside(weights)
        if math.isnan(rest):
            return f"Not drawn: {self.left_out_named}."
        return f"{percent(rest)} of the weight of the words drawn rests on {self.left_out_named}, not drawn."


def selection(names: Sequence[str], kinds: Sequence[TokenKind], choice: Choice) -> Selection:
    """Which of these are drawn; all of them where the choice would leave nothing."""
    at = tuple(i for i, kind in enumerate(kinds) if kind not in LEFT_OUT[choice])
    if not at or len(at) == len(names):
        return Selection(tuple(names), tuple(range(len(names))))
    return Selection(tuple(names), at, tuple(dict.fromkeys(names[i] for i in range(len(names)) if i not in set(at))))
