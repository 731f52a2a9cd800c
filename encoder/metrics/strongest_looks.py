"""Where heads look most from word to word, and how much they park on special tokens.

Heads that find nothing to do put their weight on [CLS], [SEP] or the full stop, whose values are then small (Clark et
al. 2019; Kobayashi et al. 2020).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from encoder.metrics.flows import head_of, norm_weighted
from encoder.metrics.roles import MARGIN
from encoder.metrics.word_kinds import is_word
from encoder.support.formatting import listed, percent, shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights, once, tokens


@dataclass(frozen=True)
class Link:
    """The strongest look of one head from a word to another: its `weight`, and what special tokens get, from 0 to 1."""

    query: int
    key: int
    weight: float
    parked: float


def links(trace: Trace, weights: np.ndarray) -> list[list[Link | None]]:
    """From which word to which other word each head looks most, [n_layers][H], in weights [n_layers, H, n, n].

    Where these are differences between runs, it is the largest change. None where there are no two words, or no
    numbers.
    """
    words = np.flatnonzero(is_word(trace))
    m = len(words)
    if m < 2:
        return [[None] * weights.shape[1] for _ in weights]
    among = np.abs(weights[..., words[:, None], words])
    among[..., np.arange(m), np.arange(m)] = -1.0
    flat = among.reshape(*among.shape[:2], m * m)
    best: np.ndarray = flat.argmax(-1)
    whole: np.ndarray = np.asarray(np.isfinite(flat).all(-1))
    special = np.array(trace.tokenization.special)

    def link(layer: int, head: int) -> Link | None:
        if not whole[layer, head]:
            return None
        query, key = int(words[best[layer, head] // m]), int(words[best[layer, head] % m])
        row = weights[layer, head, query]
        return Link(query, key, float(row[key]), float(row[special & (np.arange(len(row)) != key)].sum()))

    return [[link(i, h) for h in range(weights.shape[1])] for i in range(weights.shape[0])]


def strongest_link(trace: Trace, layer: int, head: int) -> Link | None:
    """From which word to which other word a head looks most; None where there are no two words, or no numbers."""
    weights = trace[f"layers.{layer}.attention.weights"][head].numpy()
    return links(trace, weights[None, None])[0][0]


def even_share(trace: Trace) -> float:
    """What each token that may be seen would get of a row if attention were even."""
    return 1 / (len(trace.tokens) - trace.padding - len(set(trace.hidden)))


def stands_out(trace: Trace, weight: float) -> bool:
    """Whether a weight, a share of a row, is a finding: by MARGIN or more above what even attention gives."""
    return weight - even_share(trace) >= MARGIN


def finding(trace: Trace, layer: int, head: int) -> str:
    """The chosen head's strongest look from word to word, in one plain sentence; it says so where none stands out."""
    link = strongest_link(trace, layer, head)
    if link is None:
        return f"{len(trace.tokens)} tokens go through {trace.config.n_layers} layers, and every number is recorded."
    query, key = (shown(trace.tokens[i]) for i in (link.query, link.key))
    twice = [i for i, token in enumerate(trace.tokens) if token in (trace.tokens[link.query], trace.tokens[link.key])]
    where = len(twice) > 2 or query == key
    names = (f"“{query}” ({link.query})", f"“{key}” ({link.key})") if where else (f"“{query}”", f"“{key}”")
    if not stands_out(trace, link.weight):
        return (
            f"In head {head} of layer {layer} no word stands out: at most {names[0]} gives {percent(link.weight, 1)} "
            f"of its attention to {names[1]}, where even attention gives {percent(even_share(trace), 1)}."
        )
    return (
        f"{names[0]} gives {percent(link.weight, 1)} of its attention to {names[1]}, in head {head} of layer {layer}."
    )


MOST = 0.5  # of a picture's weight, from which it is said


@dataclass(frozen=True)
class Parked:
    """What special tokens get in one head: their share of its weight, and of what really flows (`norm_weighted`)."""

    names: tuple[str, ...]
    weight: float
    flow: float

    @property
    def sentence(self) -> str:
        """One calm line; empty where words get most of the weight."""
        if not self.names or not self.weight > MOST:  # nan is no weight
            return ""
        handed = "Their values are small: they make only" if self.flow < self.weight / 2 else "They make"
        return (
            f"{percent(self.weight)} of the weight is parked on {listed(list(self.names))}: these are where heads look "
            f"when they have nothing to say. {handed} {percent(self.flow)} of what flows, weight times value."
        )


@once
def parked(trace: Trace, layer: int, head: int) -> Parked:
    """The special tokens of a run and what they get in one head.

    Raises:
        EncoderError: the trace does not hold its model.
    """
    head = head_of(trace, head)
    marks = torch.tensor(trace.tokenization.special[: len(tokens(trace))])
    names = tuple(dict.fromkeys(token for token, mark in zip(tokens(trace), marks.tolist(), strict=True) if mark))
    flow = functional.normalize(norm_weighted(trace, layer, slice(head, head + 1))[0], p=1, dim=-1)
    shares = (float(share[:, marks].sum(-1).mean()) for share in (attention_weights(trace, layer)[head], flow))
    return Parked(names, *shares)
