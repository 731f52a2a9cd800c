"""Who looks at whom in the living map: bands of every layer, the strongest link of every head, and words for it."""

from dataclasses import dataclass

import numpy as np

from encoder.experiments.compare import subtract
from encoder.export.tables import Rows, numbered
from encoder.figures.living_map_cells import drawn, recorded, row_stretch
from encoder.figures.living_map_packet import Array
from encoder.formatting import percent, shown
from encoder.metrics import MARGIN, flow_shares
from encoder.trace.trace import Trace


def is_word(trace: Trace) -> list[bool]:
    """Which tokens stand for something that was written in letters or digits: no mark, no special token but a mask."""
    ends = set(range(len(trace.tokens) - trace.padding, len(trace.tokens)))
    return [
        i not in ends and (not special or bool(trace.tokenization.typed(i).strip())) and any(c.isalnum() for c in token)
        for i, (token, special) in enumerate(zip(trace.tokens, trace.tokenization.special, strict=True))
    ]


def all_weights(trace: Trace, before: Trace | None = None) -> Array:
    """Every layer's attention weights, [n_layers, H, n, n]; with another run, how much more they are than there."""
    names = [f"layers.{i}.attention.weights" for i in range(trace.config.n_layers)]
    return np.stack([recorded(trace, name, before) for name in names])


def all_flows(trace: Trace, before: Trace | None = None) -> Array | None:
    """From where each token really takes, `flow_shares`, [n_layers, n, n] with [PAD] at zero.

    None where a run does not hold its model; with another run, how much more it is than there.
    """
    if trace.model is None or (before is not None and before.model is None):
        return None
    flows = flow_shares(trace)
    if before is not None:
        flows = subtract(flow_shares(before), flows)
    padded: Array = np.zeros([len(flows), len(trace.tokens), len(trace.tokens)], np.float32)
    padded[:, : flows.shape[1], : flows.shape[1]] = flows.numpy()
    return padded


def blocks(weights: Array) -> Array:
    """Weights [..., n, n] as the picture has rows: the one of largest size where tokens share a row."""
    every = row_stretch(weights.shape[-1])
    return weights if every == 1 else drawn(weights, every, every).values


@dataclass(frozen=True)
class Link:
    """The strongest look of one head from a word to another, with its weight; `parked` is what special tokens get."""

    query: int
    key: int
    weight: float
    parked: float


def links(trace: Trace, weights: Array) -> list[list[Link | None]]:
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
    best: Array = flat.argmax(-1)
    whole: Array = np.asarray(np.isfinite(flat).all(-1))
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
    """Whether a weight is a finding: by MARGIN or more above what even attention gives."""
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
            f"In layer {layer}, head {head} no word stands out: at most {names[0]} gives {percent(link.weight, 1)} of "
            f"its attention to {names[1]}, where even attention gives {percent(even_share(trace), 1)}."
        )
    return f"{names[0]} gives {percent(link.weight, 1)} of its attention to {names[1]}, in layer {layer}, head {head}."


def strongest_rows(trace: Trace, before: Trace | None = None) -> Rows:
    """The bands as a table, and all weaker ones: for each layer and pair of tokens the largest weight of its heads.

    With `before`, another run of as many tokens, it is the largest change against that one, up or down.
    """
    names, every = numbered(trace.tokens), all_weights(trace, before)
    yield ("layer", "token", "looks_at", "largest_weight" if before is None else "largest_change", "head")
    for layer, heads in enumerate(every):
        who = np.abs(heads).argmax(0)
        values = np.take_along_axis(heads, who[None], 0)[0]
        for looks, row, of in zip(names, values.tolist(), who.tolist(), strict=True):
            yield from ((layer, looks, at, value, head) for at, value, head in zip(names, row, of, strict=True))
