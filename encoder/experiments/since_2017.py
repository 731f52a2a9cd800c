"""What encoders got after 2017, part by part: turned queries and keys, windows, gates, norms without a mean, no biases.

Sources: Su et al. 2021 (rotary positions), Beltagy et al. 2020 (windows), Shazeer 2020 (gates), Zhang and Sennrich 2019
(RMSNorm).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.distance import FARTHEST, Alibi, PositionBias, distance_buckets
from encoder.model.steps.catalogue import by_name
from encoder.model.tap import Recorder
from encoder.support.errors import EncoderError, integer
from encoder.trace.trace import Trace

SCORES = "layers.0.attention.scores"


@dataclass(frozen=True)
class PlacedScores:
    """The score of one word for another in a head of layer 0, wherever the two stand.

    `values` [n, n] are the products of the query at a row's place and the key at a column's, before any division.
    """

    query: str
    key: str
    values: Tensor

    def along(self, apart: int) -> Tensor:
        """The scores where the key stands `apart` places after the query, from the first such pair to the last."""
        return self.values.diagonal(apart)

    @property
    def spread(self) -> float:
        """The most by which scores at one distance differ, as a share of the largest score."""
        n = len(self.values)
        apart = [self.along(k) for k in range(1 - n, n)]
        return max(float(scores.max() - scores.min()) for scores in apart) / float(self.values.abs().max())


@torch.inference_mode()
def placed_scores(encoder: TextEncoder, trace: Trace, head: int, query: int, key: int, n: int = 48) -> PlacedScores:
    """Put two tokens of a sentence in every pair of n places, and record the scores that layer 0 gives them there.

    What layer 0 reads of a token is that token and its place alone: so one row of n times the first token, and one of
    n times the second, hold all queries and keys.

    Raises:
        EncoderError: a head or position that is not there.
    """
    tokens, heads = len(trace.tokens), encoder.config.n_heads
    head = integer("head", head, 0, heads - 1)
    query, key = integer("query", query, 0, tokens - 1), integer("key", key, 0, tokens - 1)
    n = min(integer("n", n, 1), encoder.max_tokens)
    values: dict[str, Tensor] = {}
    encoder.model(torch.tensor([[trace.ids[query]] * n, [trace.ids[key]] * n]), tap=Recorder(values, {}))
    asks, offers = (values[name] for name in by_name(encoder.config)[SCORES].inputs)
    return PlacedScores(trace.tokens[query], trace.tokens[key], asks[0, head] @ offers[1, head].mT)


@dataclass(frozen=True)
class Sight:
    """Whom a token sees, layer by layer: `seen` [n_layers, n] is true where it may look in that layer.

    `reached` [n_layers, n] is true where its vector after that layer has something of the other token in it.
    """

    seen: Tensor
    reached: Tensor


def sight(encoder: TextEncoder, n: int, position: int) -> Sight:
    """What a token of a text of n tokens may see, by the windows of each layer and by way of other tokens.

    Raises:
        EncoderError: a position outside the text.
    """
    position = integer("position", position, 0, integer("n", n, 1) - 1)
    place, seen, reached = torch.arange(n), [], []
    far = (place - place[:, None]).abs()  # [n, n]
    within = torch.eye(n, dtype=torch.bool)
    for layer in range(encoder.config.n_layers):
        window = encoder.config.window_of(layer)
        open_to = torch.ones_like(within) if window is None else far <= window
        within = (open_to.float() @ within.float()) > 0  # what each sees, and what that has seen before
        seen.append(open_to[position])
        reached.append(within[position])
    return Sight(torch.stack(seen), torch.stack(reached))


REGIMES = ("gate +, up +", "gate +, up -", "gate -, up +", "gate -, up -")


@dataclass(frozen=True)
class GateSigns:
    """How often the two halves of a gated unit have which signs, over the tokens of a sentence.

    `shares` [4] adds up to 1, in the order of REGIMES; `written` [4] are the shares of the sum of the sizes of what the
    units hand on. `units` [d_ff, 4] counts the tokens of every unit in each regime.
    """

    shares: Tensor
    written: Tensor
    units: Tensor

    @property
    def unit_shares(self) -> Tensor:
        """The share of the tokens for which each unit is in each regime: [d_ff, 4]."""
        return self.units / self.units.sum(-1, keepdim=True)


def gate_signs(trace: Trace, layer: int) -> GateSigns:
    """The four regimes of the units of a layer with a gate: the signs of what is activated, and of the other half.

    Raises:
        EncoderError: a model without gates, or a layer that is not there.
    """
    at = f"layers.{layer}.feed_forward."
    if at + "gated" not in trace:
        raise EncoderError(f"layer {layer} of this model has no gated feed-forward")
    n = len(trace.tokens) - trace.padding
    gate, up, gated = (trace[at + name][:n] for name in ("hidden", "up", "gated"))
    signs = [(first, second) for first in (True, False) for second in (True, False)]
    regimes = torch.stack([((gate > 0) == first) & ((up > 0) == second) for first, second in signs], -1)  # [n, d_ff, 4]
    written = (gated.abs()[..., None] * regimes).double().sum((0, 1))
    return GateSigns(regimes.double().mean((0, 1)), written / written.sum(), regimes.sum(0))


def mean_share(trace: Trace) -> Tensor:
    """Of each norm's input, token by token, the share of its mean square that is its mean: [norms, n].

    LayerNorm takes the mean away; RMSNorm leaves it.
    """
    n = len(trace.tokens) - trace.padding
    inputs = [trace.step(name).inputs[0] for name in trace if name.endswith((".mean", ".mean_square"))]
    normed = [trace[name][:n].double() for name in inputs if trace.step(name).shape == ("n", "d_model")]
    return torch.stack([x.mean(-1).square() / x.square().mean(-1) for x in normed])


@dataclass(frozen=True)
class BiasTable:
    """The numbers that a position bias adds: values [H, buckets], from far before the query to far after it.

    `names` say which distances share each of them: "8 to 11 before". With ALiBi, where both sides are alike, values
    [H, 9] are those of some distances: "8 away".
    """

    values: Tensor
    names: tuple[str, ...]


def bias_table(encoder: TextEncoder) -> BiasTable:
    """The table of a model's position bias, in the order of the distances (Raffel et al. 2020, Press et al. 2022).

    Raises:
        EncoderError: a model without a position bias.
    """
    bias = encoder.model.position_bias
    if isinstance(bias, Alibi):
        apart = [0, *(2**k for k in range(8))]
        names = ["itself", *(f"{distance} away" for distance in apart[1:])]
        return BiasTable(bias(apart[-1] + 1)[0, :, 0, apart], tuple(names))
    if not isinstance(bias, PositionBias):
        raise EncoderError("this model adds no position bias to its scores")
    n = FARTHEST + 2  # tokens; all that are farther apart share the last bucket
    row = distance_buckets(2 * n + 1, len(bias.weight))[n].tolist()  # of the query in the middle, key by key
    order, names = list(dict.fromkeys(row)), []
    for bucket in order:
        apart = [key - n for key, shared in enumerate(row) if shared == bucket]
        near, far = min(map(abs, apart)), max(map(abs, apart))
        side = "before" if apart[0] < 0 else "after"
        shared = f"{near} and more" if far > FARTHEST else str(near) if near == far else f"{near} to {far}"
        names.append(f"{shared} {side}" if near else "itself")
    return BiasTable(bias.weight.detach()[order].T, tuple(names))


def biases(encoder: TextEncoder) -> int:
    """Count the biases of the maps and the betas of the norms; that of each word in the head is not counted."""
    named = encoder.model.named_parameters()
    return sum(weight.numel() for name, weight in named if name.endswith(".bias") and name != "mlm_head.bias")
