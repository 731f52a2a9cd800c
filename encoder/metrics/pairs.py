"""Measures of a pair of sentences: how much of the attention stays in a sentence, and how much goes to the other."""

from collections.abc import Sequence

import torch
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights

WAYS = {"A->A": (0, 0), "A->B": (0, 1), "B->A": (1, 0), "B->B": (1, 1)}


def segments(trace: Trace) -> Tensor:
    """The sentence of each token, 0 for A and 1 for B, [PAD] left out: [n]."""
    n = len(trace.tokens) - trace.padding
    return torch.tensor((trace.tokenization.segments or (0,) * n)[:n])


def segment_mass(trace: Trace) -> Tensor:
    """Share of the weight that tokens of one sentence give to those of each: [n_layers, H, 2, 2].

    Entry [l, h, 0, 1] is the sum of the weights from a token of A to all tokens of B, averaged over the tokens of A.
    Special tokens count to the sentence that their segment says. Each row sums to 1.

    Raises:
        EncoderError: the run is of one sentence.
    """
    which = segments(trace)
    if not which.any():
        raise EncoderError("this run is of one sentence; shares between sentences need a pair")
    belongs = torch.stack((which == 0, which == 1)).to(trace["output"].dtype)  # [2, n]
    return (belongs / belongs.sum(-1, keepdim=True)) @ attention_weights(trace) @ belongs.T


def between(segments: Sequence[int] | Tensor, way: str) -> Tensor:
    """True where the query is in the first sentence of a way such as "A->B" and the key in the second: [n, n].

    Raises:
        EncoderError: a way that is not one of WAYS.
    """
    if way not in WAYS:
        raise EncoderError(f"way is {way!r}; it must be one of {', '.join(WAYS)}")
    which = torch.as_tensor(segments)
    query, key = WAYS[way]
    return (which == query)[:, None] & (which == key)
