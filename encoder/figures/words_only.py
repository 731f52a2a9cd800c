"""Words only: what each token of a run is, and what stands out among those that a picture of attention draws."""

from typing import Any, get_args

import numpy as np

from encoder.figures.facts import largest_pair, place
from encoder.formatting import percent, short
from encoder.selection import Choice, Selection, TokenKind, selection
from encoder.theme import Kind
from encoder.trace.tokens import Groups
from encoder.trace.trace import Trace
from encoder.trace.words import punctuation


def token_kinds(trace: Trace) -> list[TokenKind]:
    """What each token is: added by the model ("special", padding too), punctuation ("mark"), or a word or piece of one.

    A [MASK] that was typed stands for a word.
    """
    text, end = trace.tokenization, len(trace.tokens) - trace.padding
    return [
        "special" if i >= end or (special and not text.typed(i).strip()) else "mark" if punctuation(token) else "word"
        for i, (token, special) in enumerate(zip(trace.tokens, text.special, strict=True))
    ]


def kinds_of(trace: Trace, groups: Groups) -> list[TokenKind]:
    """What each group of positions is: what its most telling token is, a word before a mark before what was added."""
    kinds = token_kinds(trace)
    return [max((kinds[i] for i in group), key=get_args(TokenKind)[::-1].index) for group in groups]


def tokens_drawn(trace: Trace, choice: Choice) -> Selection:
    """Which tokens of a run are drawn."""
    return selection(trace.tokens, token_kinds(trace), choice)


def fact(chosen: Selection, values: np.ndarray[Any, Any], kind: Kind) -> str:
    """What stands out among the cells drawn of values [n, n], and what is left out."""
    seen = chosen.cut(values)
    if not np.isfinite(seen).any():
        return f"No value drawn here is a finite number. {chosen.sentence()}"
    size = np.where(np.isfinite(seen), seen if kind == "share" else np.abs(seen), -1.0)
    i, j = largest_pair(size)
    row, column = place(list(chosen.names), chosen.at[i]), place(list(chosen.names), chosen.at[j])
    if kind == "share":
        said = f"{row} puts {percent(float(seen[i, j]))} on {column}, the largest weight drawn."
        return f"{said} {chosen.sentence(values)}"
    return f"The strongest value drawn is {short(float(seen[i, j]))}, at {row}, {column}. {chosen.sentence()}"
