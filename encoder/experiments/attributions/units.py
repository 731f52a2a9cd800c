"""What each unit of a feed-forward block adds to a guess: its row of W_2, as strongly as it fires, up to the logit.

What a unit writes is its value times its row of W_2. It is carried to the logit as `contributions` carries the whole
block: through each norm with the spread that it had in this run, and through the head for words with the factor of each
of its units (cf. Geva et al. 2022, who read the rows of W_2 so, without the way there). What later layers make of it on
other ways is theirs.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.contributions import Stream, StreamPart
from encoder.experiments.attributions.target import Target
from encoder.metrics.answer import answers
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.support.errors import EncoderError, integer
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class UnitSum:
    """What the units of a block add to the target, `adds` [d_ff] in float64, in logits; `bias` is what b_2 adds.

    Together they are what `contributions` says of the block, but for rounding and edits of what the block gave.
    """

    adds: Tensor
    bias: float

    @property
    def total(self) -> float:
        """What all of them add up to."""
        return float(self.adds.sum()) + self.bias


class Alone(Stream):
    """Parts of one token's vector on its way, without all the others."""

    def add(self, part: StreamPart, vector: Tensor) -> None:
        """Leave the other parts out."""

    def attend(self, attention: Attention, layer: int, opened: object) -> None:
        """Leave out what heads bring."""


@torch.inference_mode()
def unit_sum(encoder: TextEncoder, trace: Trace, target: Target, layer: int, token: int | None = None) -> UnitSum:
    """Share out what a layer's feed-forward adds to the target among its units.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        target: what is shared out, at one position.
        layer: of which layer.
        token: the one whose units they are, where a label of the sentence is shared out; else that of the target.

    Raises:
        EncoderError: see `Target.check`; a layer that is not there, or a token that the head of labels does not read.
    """
    target.check(encoder, trace)
    how = answers(encoder.config)
    read, token = how.read(trace, target.position), target.position if token is None else token
    if token not in read:
        raise EncoderError(f"token is {token}; the answer is read from {read}")
    block = encoder.model.layers[integer("layer", layer, 0, trace.config.n_layers - 1)]
    assert isinstance(block, Block)
    at, feed_forward = f"layers.{layer}.", block.feed_forward
    numbers = Alone(trace, token, StreamPart("feed-forward", layer), torch.zeros(trace.config.d_model))
    numbers.rows = torch.eye(trace.config.d_model, dtype=torch.float64)  # each number of what the block writes, as 1
    if not block.norm_first:
        numbers.norm(block.norm2, f"{at}add_norm_2")
    numbers.through(encoder.model, layer + 1)
    numbers.position = 0 if how.labels is not None and how.labels.pools else token  # of one vector for the sentence
    numbers.into(target.words, encoder.model)
    each = numbers.rows[:, 0] if target.against is None else numbers.rows[:, 0] - numbers.rows[:, 1]  # [d_model]
    value = trace[f"{at}feed_forward.{'gated' if trace.config.gated else 'activation'}"][token].double()  # [d_ff]
    w_2 = feed_forward.w_2
    each = each / len(read)  # the head reads their mean
    return UnitSum(value * (each @ w_2.weight.double()), float(each @ w_2.bias.double()))
