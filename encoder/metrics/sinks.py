"""Attention sinks: how much weight is parked on special tokens, how little it moves, and what grows large for it.

Heads that find nothing to do put their weight on [CLS], [SEP] or the full stop, whose values are then small (Clark et
al. 2019; Kobayashi et al. 2020); a few channels of these tokens grow to hundreds of times the others (Sun et al. 2024).
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from encoder.formatting import listed, percent, shown
from encoder.metrics.flows import head_of, norm_weighted
from encoder.metrics.layers import length
from encoder.trace.once import once
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights, rows, tokens

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


@dataclass(frozen=True)
class LayerSize:
    """How large the numbers of one layer grow over the tokens of a run.

    `attention` and `feed_forward` are the lengths [n] of what each adds; `largest` the largest number in size of the
    layer's output before its last norm, at `token` and `channel`, and `median` that of the middle number; `dead` counts
    the units that are zero at every token.
    """

    attention: Tensor
    feed_forward: Tensor
    largest: float
    token: int
    channel: int
    median: float
    dead: int

    def row(self, names: list[str]) -> dict[str, object]:
        """A line of a table, with the names of the tokens."""
        added = {"attention": self.attention, "feed-forward": self.feed_forward}
        longest = {f"{name} adds at most": float(lengths.max()) for name, lengths in added.items()}
        at = {"at token": f"{self.token} {shown(names[self.token])}", "channel": self.channel}
        return longest | {"largest number": self.largest} | at | {"median": self.median, "dead units": self.dead}


def layer_sizes(trace: Trace) -> list[LayerSize]:
    """`LayerSize` of every layer."""
    found = []
    for i in range(trace.config.n_layers):
        at = f"layers.{i}."
        sums = rows(trace, at + "add_norm_2.sum").abs()
        token, channel = divmod(int(sums.argmax()), sums.shape[-1])
        found.append(
            LayerSize(
                attention=length(rows(trace, at + "attention.output")),
                feed_forward=length(rows(trace, at + "feed_forward.output")),
                largest=float(sums.max()),
                token=token,
                channel=channel,
                median=float(sums.median()),
                dead=int((rows(trace, at + "feed_forward.activation") == 0).all(0).sum()),
            )
        )
    return found
