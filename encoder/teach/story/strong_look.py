"""What the story of a run is about: a strong look from a word to another word, and the head that does it."""

from dataclasses import dataclass

import numpy as np

from encoder.metrics import attention_weights
from encoder.metrics.word_kinds import is_word
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens


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
