"""What a head compares and what it hands on: the score of a pair in layer 0 as terms, and what its weights alone say.

In layer 0 a token's vector is its word, its place, its sentence and what biases add, so a score is a sum over pairs of
those, exact once the norms divide by the spread that they had. What a head does to the bare row of a word, without a
place and without company, can be asked of any layer (the QK and OV circuits of Elhage et al. 2021); only in layer 0 is
that row a part of what the head reads.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.contributions import BIAS, REST, Stream, StreamPart, check_head, written
from encoder.experiments.common import given
from encoder.metrics import nearest_words
from encoder.metrics.lens import word as word_of
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.config import EncoderConfig
from encoder.model.distance import turned
from encoder.model.linear import Linear
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.step import Step
from encoder.model.tap import NO_TAP
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

WORD, POSITION, SEGMENT = StreamPart("word"), StreamPart("position"), StreamPart("segment")
MAPS, TURN = ("linear", "matmul"), "rotate"  # operations of the catalogue
ROWS = 4096  # words of the vocabulary whose keys are made together


@dataclass(frozen=True)
class PairScore:
    """A scaled score as a sum: `values` [k, l] in float64, a row for each part of the query, a column for the key's.

    `score` is what the run recorded before anything was masked.
    """

    query: tuple[StreamPart, ...]
    key: tuple[StreamPart, ...]
    values: Tensor
    score: float

    @property
    def missing(self) -> float:
        """How far the terms' sum is from the score: rounding, or a change of the scores themselves."""
        return abs(float(self.values.sum()) - self.score)


def block_of(encoder: TextEncoder, layer: int, head: int) -> Block:
    """The block of a layer.

    Raises:
        EncoderError: a layer or head that is not there.
    """
    check_head(encoder.config, layer, head)
    block = encoder.model.layers[layer]
    assert isinstance(block, Block)
    return block


def read_by_layer_0(encoder: TextEncoder, trace: Trace, position: int) -> Stream:
    """What attention of layer 0 reads of a token, in parts: word, position, segment, biases, and a rest."""
    model, config = encoder.model, encoder.config
    stream = Stream(trace, position, WORD, trace["embedding.scaled"][position])
    stream.add(POSITION, trace["embedding.positions"][position].double())
    if config.n_segments:
        stream.add(SEGMENT, trace["embedding.segments"][position].double())
    inner = model.embedding.norm is not None or model.embedding.projection is not None
    stream.settle("embedding.sum" if inner else "embedding.output")
    if model.embedding.norm is not None:
        stream.norm(model.embedding.norm, "embedding" if model.embedding.projection is None else "embedding.norm")
    if model.embedding.projection is not None:
        stream.linear(model.embedding.projection.weight, model.embedding.projection.bias)
    stream.settle("embedding.output")
    block = block_of(encoder, 0, 0)
    if block.norm_first:
        stream.norm(block.norm1, "layers.0.add_norm_1")
    stream.settle("layers.0.attention.input")
    return stream


def of_head(attention: Attention, linear: Linear, head: int) -> tuple[Tensor, Tensor]:
    """The rows of W_Q, W_K or W_V that make one head's numbers, [d_head, d_model], and their bias; in float64."""
    at = slice(head * attention.d_head, (head + 1) * attention.d_head)
    return linear.weight[at].double(), linear.bias[at].double()


def after_map(config: EncoderConfig, last: str) -> list[Step]:
    """What happens to queries or keys between their linear map and `last`, the step that scores are made of."""
    steps, step = [], by_name(config)[last]
    while step.operation not in MAPS:
        steps.append(step)
        step = by_name(config)[step.inputs[0]]
    return steps[::-1]


@torch.inference_mode()
def pair_score(encoder: TextEncoder, trace: Trace, head: int, query: int, key: int) -> PairScore:
    """The scaled score of layer 0 of a token for another, as terms of words, positions, segments and biases.

    Where distances have scores of their own it is the part of the contents alone.

    Raises:
        EncoderError: a trace of another model, or a head or position that is not there.
    """
    encoder.check_own(trace)
    attention, n = block_of(encoder, 0, head).attention, len(tokens(trace))
    if not (0 <= query < n and 0 <= key < n):
        raise EncoderError(f"the pair is {query}, {key}; positions go from 0 to {n - 1}")
    asks, offers = trace.step("layers.0.attention.scores").inputs
    result = []
    for position, linear, last in ((query, attention.w_q, asks), (key, attention.w_k, offers)):
        stream = read_by_layer_0(encoder, trace, position)
        stream.linear(*of_head(attention, linear, head))
        for step in after_map(trace.config, last):
            if step.operation == TURN:
                cos, sin = (trace[wave][position].double() for wave in step.inputs[1:])
                stream.rows = turned(stream.rows[None, None], cos[None], sin[None])[0, 0]
            else:
                stream.factor(*(trace[name][head, position].double() for name in (step.inputs[0], step.name)))
        stream.add(REST, trace[last][head, position].double() - stream.rows.sum(0))
        result.append((tuple(stream.parts), stream.rows))
    (left, q), (right, k) = result
    root = math.sqrt(attention.score_size)
    score = float(trace["layers.0.attention.scaled"][head, query, key])
    if encoder.config.distance_parts:
        score = float(trace["layers.0.attention.scores"][head, query, key]) / root
    return PairScore(left, right, q @ k.T / root, score)


def bare(encoder: TextEncoder, layer: int, ids: Tensor) -> Tensor:
    """What attention of a layer would read of words alone, without a place: ids [k] -> [k, d_model] in float64."""
    model, config = encoder.model, encoder.config
    nowhere = torch.zeros(len(ids), 1, config.d_embedding)
    x = model.embedding(ids[:, None], tap=given({"positions": nowhere}, NO_TAP))[:, 0]
    block = block_of(encoder, layer, 0)
    read: Tensor = (block.norm1(x) if block.norm_first else x).double()
    return read


def asked(encoder: TextEncoder, layer: int, head: int, word: int) -> Attention:
    """The attention of a layer, where its head and the word are there.

    Raises:
        EncoderError: a layer, head or word that is not there.
    """
    attention = block_of(encoder, layer, head).attention
    if not 0 <= word < encoder.config.vocab_size:
        raise EncoderError(f"word is {word}; words go from 0 to {encoder.config.vocab_size - 1}")
    return attention


@torch.inference_mode()
def looked_for(encoder: TextEncoder, layer: int, head: int, word: int, k: int = 10) -> list[tuple[str, float]]:
    """The words whose bare rows would get the largest scores from a word's own, with the scores, the largest first.

    Raises:
        EncoderError: a layer, head or word that is not there, or queries that go through more than maps and turns.
    """
    attention = asked(encoder, layer, head, word)
    asks = by_name(encoder.config)[f"layers.{layer}.attention.scores"].inputs[0]
    for step in after_map(encoder.config, asks):
        if step.operation != TURN:
            raise EncoderError(f"queries go through “{step.title}” here; what weights alone look for leaves that out")
    w_q, b_q = of_head(attention, attention.w_q, head)
    w_k, b_k = of_head(attention, attention.w_k, head)
    query = (bare(encoder, layer, torch.tensor([word]))[0] @ w_q.T + b_q) / math.sqrt(attention.score_size)
    wanted, constant = query @ w_k, query @ b_k  # the keys' own map is taken to the query, once for all words
    every = torch.arange(encoder.config.vocab_size)
    scores = torch.cat([bare(encoder, layer, some) @ wanted for some in torch.split(every, ROWS)]) + constant
    top = scores.topk(min(k, len(scores)))
    return [(word_of(encoder, i), value) for i, value in zip(top.indices.tolist(), top.values.tolist(), strict=True)]


@torch.inference_mode()
def written_for(encoder: TextEncoder, layer: int, head: int, word: int, k: int = 10) -> list[tuple[str, float]]:
    """The words nearest to what a head writes when all its weight is on a word's bare row, with the cosines.

    Raises:
        EncoderError: a layer, head or word that is not there.
    """
    attention = asked(encoder, layer, head, word)
    w_v, b_v = of_head(attention, attention.w_v, head)
    value = bare(encoder, layer, torch.tensor([word]))[0] @ w_v.T + b_v
    heads = torch.zeros(encoder.config.n_heads, attention.d_head, dtype=torch.float64)
    heads[head] = value
    return nearest_words(encoder, written(attention, heads)[head].float(), k)


__all__ = ["BIAS", "POSITION", "REST", "SEGMENT", "WORD", "PairScore", "looked_for", "pair_score", "written_for"]
