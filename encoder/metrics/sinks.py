"""Attention sinks: how much weight is parked on special tokens, and how little it moves.

Heads that find nothing to do put their weight on [CLS], [SEP] or the full stop, whose values are then small (Clark et
al. 2019; Kobayashi et al. 2020).
"""

from dataclasses import dataclass

import torch
from torch.nn import functional

from encoder.metrics.flows import head_of, norm_weighted
from encoder.support.formatting import listed, percent
from encoder.trace.memo import once
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights, tokens

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
