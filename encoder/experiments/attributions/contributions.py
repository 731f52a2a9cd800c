"""A guess's logit as a sum: what the embedding, each head, each feed-forward block and the biases put into it.

Every part of the residual stream is carried to the logit on the way that the stream itself took. A norm divides each
part by the spread that it had in this run, and the MLM head's activation multiplies it by the factor that it had in
this run (what came out over what went in), so each step is linear and the parts keep their sum (cf. Elhage et al. 2021;
Mickus et al. 2022). What is held is this run's: were a part missing, spreads and factors would be others.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Target
from encoder.metrics.answer import answers
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.normalization import LayerNorm
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens


@dataclass(frozen=True)
class StreamPart:
    """What is added to the stream: `kind` is "embedding", "head", "feed-forward", "bias" or "rest".

    `layer` is None outside the layers, `head` is that of a "head"; with a `token` it is what the head gathered from
    that position alone. "bias" stands for all vectors that come from no token: b_O, the norms' shifts, those of the MLM
    head. "rest" is rounding, and what edits put in or took away.
    """

    kind: str
    layer: int | None = None
    head: int | None = None
    token: int | None = None

    def spelled(self, tokens: Sequence[str]) -> str:
        """The part in words, with the token that a head gathered from."""
        where = "" if self.layer is None else f"layer {self.layer} "
        if self.head is None:
            return where + self.kind
        return f"{where}head {self.head}" + (
            "" if self.token is None else f" from {self.token} {shown(tokens[self.token])}"
        )


EMBEDDING, BIAS, REST = StreamPart("embedding"), StreamPart("bias"), StreamPart("rest")


@dataclass(frozen=True)
class Contributions:
    """The parts and what each puts into the target: `values` [k] in float64, which add up to `value`, the target."""

    parts: tuple[StreamPart, ...]
    values: Tensor
    value: float

    @property
    def total(self) -> float:
        """What the parts add up to."""
        return float(self.values.sum())

    def of(self, part: StreamPart) -> float:
        """What one part puts in; 0 where the model has no such part."""
        return float(self.values[self.parts.index(part)]) if part in self.parts else 0.0

    def grid(self, config: EncoderConfig) -> Tensor:
        """What every head and, in the last column, the feed-forward block of every layer puts in: [n_layers, H + 1]."""
        result = torch.zeros(config.n_layers, config.n_heads + 1, dtype=torch.float64)
        for part, value in zip(self.parts, self.values, strict=True):
            if part.layer is not None:
                result[part.layer, config.n_heads if part.head is None else part.head] += value
        return result

    def gathered(self, layer: int, head: int) -> Tensor:
        """What an opened head puts in, by the token that it gathered from: [n]."""
        result = [
            value
            for part, value in zip(self.parts, self.values, strict=True)
            if part.token is not None and (part.layer, part.head) == (layer, head)
        ]
        return torch.stack(result)


class Stream:
    """One token's vector on its way, as a list of parts whose sum it is; in float64.

    `rows` [k, d] are the vectors of `parts`. Every method does to each part what the model does to their sum.
    """

    def __init__(self, trace: Trace, position: int, part: StreamPart, vector: Tensor) -> None:
        self.trace = trace
        self.position = position
        self.parts = [part]
        self.rows = vector.double()[None]

    def at(self, step: str) -> Tensor:
        """The recorded vector, or number, of this token at a step."""
        return self.trace[step][self.position].double()

    def add(self, part: StreamPart, vector: Tensor) -> None:
        """Put a vector into the stream."""
        if part in self.parts:
            self.rows[self.parts.index(part)] += vector
        else:
            self.extend([part], vector[None])

    def extend(self, parts: Sequence[StreamPart], vectors: Tensor) -> None:
        """Put several new parts into the stream."""
        self.parts += parts
        self.rows = torch.cat([self.rows, vectors])

    def settle(self, step: str) -> None:
        """Take what the parts miss of a recorded sum as the rest."""
        self.add(REST, self.at(step) - self.rows.sum(0))

    def norm(self, norm: LayerNorm, inside: str) -> None:
        """Through a norm, with the spread that it had for this token."""
        self.rows = norm.of_part(self.rows, lambda name: self.at(f"{inside}.{name}"))
        self.add(BIAS, norm.bias.double())

    def linear(self, weight: Tensor, bias: Tensor) -> None:
        """Through a linear map, whose bias comes from no part."""
        self.rows = self.rows @ weight.double().T
        self.add(BIAS, bias.double())

    def factor(self, came: Tensor, went: Tensor) -> None:
        """Through what works on each number, as the factor that it was for it in this run; what was 0 stays 0."""
        self.rows = self.rows * torch.where(came == 0, 0.0, went / came)

    def attend(self, attention: Attention, layer: int, opened: Collection[tuple[int, int]]) -> None:
        """Add what each head brings, opened ones token by token, and the bias of W_O."""
        at = f"layers.{layer}.attention."
        brought = written(attention, self.trace[f"{at}heads"][:, self.position].double())  # [H, d_model]
        whole = [head for head in range(len(brought)) if (layer, head) not in opened]
        self.extend([StreamPart("head", layer, head) for head in whole], brought[whole])
        if len(whole) < len(brought):
            weights = self.trace[f"{at}weights"][:, self.position].double()  # [H, n]
            gathered = written(attention, weights[..., None] * self.trace[f"{at}v"].double())  # [H, n, d_model]
            n = len(tokens(self.trace))
            for head in [head for of, head in opened if of == layer]:
                self.extend([StreamPart("head", layer, head, i) for i in range(n)], gathered[head, :n])
        self.add(BIAS, attention.w_o.bias.double())

    def through(self, model: Encoder, first: int = 0, opened: Collection[tuple[int, int]] = ()) -> None:
        """Through the layers from `first` on and what follows the stack."""
        for i, layer in islice(enumerate(model.layers), first, None):
            assert isinstance(layer, Block)
            at = f"layers.{i}."
            self.attend(layer.attention, i, opened)
            self.settle(f"{at}add_norm_1.sum")
            if not layer.norm_first:
                self.norm(layer.norm1, f"{at}add_norm_1")
            self.settle(f"{at}add_norm_2.residual")
            self.add(StreamPart("feed-forward", i), self.at(f"{at}feed_forward.output"))
            self.settle(f"{at}add_norm_2.sum")
            if not layer.norm_first:
                self.norm(layer.norm2, f"{at}add_norm_2")
            self.settle(f"{at}output")
        if model.final_norm is not None:
            self.norm(model.final_norm, "final_norm")
        self.settle("output")

    def into(self, words: Sequence[int], model: Encoder) -> None:
        """Through the head into the logits of some words (ids) or labels: `rows` [k, words]."""
        head, some = model.mlm_head, list(words)
        if head is None:
            self.into_labels(some, model)
            return
        self.linear(head.transform.weight, head.transform.bias)
        self.settle("mlm.transform")
        self.factor(self.at("mlm.transform"), self.at("mlm.activation"))
        self.settle("mlm.activation")
        self.norm(head.norm, "mlm.norm")
        self.rows = self.rows @ model.embedding.tokens.weight[some].double().T
        self.add(BIAS, head.bias[some].double())

    def into_labels(self, some: list[int], model: Encoder) -> None:
        """Through the head of labels, from what it reads on."""
        head = model.classifier
        assert head is not None
        if head.transform is not None:
            self.linear(head.transform.weight, head.transform.bias)
            self.settle("classifier.transform")
            self.factor(self.at("classifier.transform"), self.at("classifier.activation"))
            self.settle("classifier.activation")
        if head.norm is not None:
            self.norm(head.norm, "classifier.norm")
        self.linear(head.output.weight[some], head.output.bias[some])


def mean_of(streams: Sequence[Stream]) -> Stream:
    """Streams of the same parts drawn together: their mean, which is of the sentence and its only row."""
    first = streams[0]
    first.rows = torch.stack([stream.rows for stream in streams]).mean(0)
    first.position = 0
    return first


def written(attention: Attention, heads: Tensor) -> Tensor:
    """What vectors of each head [H, ..., d_head] write into the stream, without the bias: [H, ..., d_model]."""
    return torch.einsum("h...d,hdm->h...m", heads, attention.w_o_by_head.double())


def check_head(config: EncoderConfig, layer: int, head: int) -> None:
    """See that a head is there.

    Raises:
        EncoderError: a layer or head that is not there.
    """
    if not (0 <= layer < config.n_layers and 0 <= head < config.n_heads):
        raise EncoderError(
            f"head {head} of layer {layer} is not there; layers go from 0 to {config.n_layers - 1}, heads from 0 to "
            f"{config.n_heads - 1}"
        )


@torch.inference_mode()
def logit_attribution(
    encoder: TextEncoder, trace: Trace, target: Target, opened: tuple[int, int] | None = None
) -> Contributions:
    """The target as a sum over all parts of the residual stream.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        target: what is shared out.
        opened: layer and head of one head that is shared out among the tokens it gathered from.

    Raises:
        EncoderError: see `Target.check`; a layer or head that is not there.
    """
    target.check(encoder, trace)
    if opened is not None:
        check_head(trace.config, *opened)
    first, *others = logits_by_part(encoder, trace, target.position, target.words, () if opened is None else (opened,))
    if not others:
        return first
    return Contributions(first.parts, first.values - others[0].values, first.value - others[0].value)


@torch.inference_mode()
def logits_by_part(
    encoder: TextEncoder,
    trace: Trace,
    position: int,
    words: Sequence[int],
    opened: Collection[tuple[int, int]] = (),
) -> list[Contributions]:
    """The logits of several words (ids) at a position, each as a sum over the same parts of the residual stream.

    Raises:
        EncoderError: see `Target.check`.
    """
    for word in words:
        Target(position, word).check(encoder, trace)
    how, streams = answers(encoder.config), list[Stream]()
    pools = how.labels is not None and how.labels.pools
    for place in how.read(trace, position):
        stream = Stream(trace, place, EMBEDDING, trace["embedding.output"][place])
        stream.through(encoder.model, opened=opened)
        if not pools:
            stream.into(words, encoder.model)
        streams.append(stream)
    stream = mean_of(streams) if how.of_sentence else streams[0]
    if pools:
        stream.settle("classifier.pooled")
        stream.into(words, encoder.model)
    values = how.scores(trace, position)[list(words)].double()
    stream.add(REST, values - stream.rows.sum(0))
    return [
        Contributions(tuple(stream.parts), column, float(value))
        for column, value in zip(stream.rows.T, values, strict=True)
    ]
