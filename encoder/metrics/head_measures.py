"""The measures of a head as a table, and a model's habits: all of them over a set of sentences instead of one.

A row of the table is all that a measure needs to be surveyed, shown and kept.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.cost import run_flops
from encoder.metrics.heads import confidence, distance, entropy, js_distance, normalized_entropy, offset
from encoder.metrics.layers import cka_matrix, cosine
from encoder.metrics.roles import ROLES, SHUFFLES, Role, head_roles, role_mass, role_queries
from encoder.metrics.sentences import SENTENCES
from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError
from encoder.support.progress import shares
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights, stream, tokens


@dataclass(frozen=True)
class HeadMeasure:
    """One number for every head, taken from its weights over a sentence.

    `of` makes it from weights [heads, n, n] and the n tokens: the mean over some of the rows, [heads]. `rows` counts
    those rows, so that means over several sentences are means over all their rows. `title`, `kind` (of scale: "share"
    from 0 to 1, "positive" from 0 up, "signed" about 0) and `meaning` are for people.
    """

    title: str
    kind: Literal["share", "positive", "signed"]
    meaning: str
    of: Callable[[Tensor, Sequence[str]], Tensor]
    rows: Callable[[Sequence[str]], int] = len


def on_role(role: str, title: str, meaning: str) -> HeadMeasure:
    """The share of the weight on the keys of one of ROLES, over the queries that have such a key."""
    return HeadMeasure(
        title, "share", meaning, lambda w, tokens: role_mass(w, tokens)[role], lambda tokens: role_queries(tokens, role)
    )


HEAD_MEASURES = {
    "normalized_entropy": HeadMeasure(
        "Normalized entropy",
        "share",
        "Entropy over the largest possible: 0 looks at one token, 1 at all alike.",
        lambda w, tokens: normalized_entropy(w).mean(-1),
    ),
    "entropy": HeadMeasure(
        "Entropy", "positive", "In nats; the most for n tokens is ln n.", lambda w, tokens: entropy(w).mean(-1)
    ),
    "confidence": HeadMeasure(
        "Confidence",
        "share",
        "The mean of each row's largest weight; it depends on the number of tokens.",
        lambda w, tokens: confidence(w),
    ),
    "distance": HeadMeasure(
        "Distance", "positive", "How many tokens away a head looks, on average.", lambda w, tokens: distance(w)
    ),
    "offset": HeadMeasure(
        "Offset",
        "signed",
        "Which way a head looks: below 0 back, above 0 ahead, in tokens.",
        lambda w, tokens: offset(w),
    ),
    "self": on_role("self", "On itself", "Share of the weight that a token puts on itself."),
    "previous": on_role("previous", "Previous", "Share of the weight on the token before."),
    "next": on_role("next", "Next", "Share of the weight on the token after."),
    "cls": on_role("cls", "[CLS]", "Share of the weight on [CLS]."),
    "sep": on_role("sep", "[SEP]", "Share of the weight on [SEP]."),
    "special": on_role("special", "Special tokens", "Share of the weight on [CLS] and [SEP] together."),
    "punctuation": on_role("punctuation", "Punctuation", "Share of the weight on punctuation."),
}


BATCH = 16  # sentences run at once
ENTROPY_FLOPS = 300  # what takes as long as the entropy of one weight, in float64: a logarithm, and memory


@dataclass(frozen=True)
class HeadSurvey:
    """What the heads of a model do over a set of sentences.

    `measures` maps the names of HEAD_MEASURES to [n_layers, H], means over all queries (rows) of all sentences; `roles`
    holds a label for every layer and head. `sentences` and `tokens` count what was measured.
    """

    sentences: int
    tokens: int
    measures: dict[str, Tensor]
    roles: list[list[Role]]


@dataclass(frozen=True)
class Survey(HeadSurvey):
    """What the heads and layers of a model do over a set of sentences.

    `likeness` is `js_distance` between all heads of all layers [n_layers * H, n_layers * H], layer by layer.
    `layer_cosine` and `layer_cka` [n_layers + 1, n_layers + 1] compare the stream before the first layer and after each
    one: the mean cosine of a token with itself, and linear CKA with the tokens of all sentences as its samples.
    """

    likeness: Tensor
    layer_cosine: Tensor
    layer_cka: Tensor

    @property
    def least_neighbours(self) -> float:
        """The smallest mean cosine between the streams of two layers that follow each other."""
        return float(self.layer_cosine.diagonal(1).min())


class SurveyCost(NamedTuple):
    """What a survey takes before it is made, about: floating-point operations, and bytes while it is made."""

    flops: float
    nbytes: float


def survey_cost(config: EncoderConfig, lengths: Sequence[int]) -> SurveyCost:
    """The cost of a survey over sentences of so many tokens each.

    With many heads most of it goes to comparing every head with every other, with many layers to comparing those.
    """
    layers, tokens, cells = config.n_layers + 1, sum(lengths), sum(n * n for n in lengths)
    heads = config.n_layers * config.n_heads
    flops = (
        sum(run_flops(config, n) for n in lengths)
        + heads**2 / 2 * cells * ENTROPY_FLOPS
        + heads * cells * len(ROLES) * SHUFFLES * 2
        + tokens**2 * (4 * layers * config.d_model + 4 * layers**2)
    )
    nbytes = 8 * layers * tokens**2 + 12 * (layers * tokens * config.d_model + heads * cells)
    return SurveyCost(flops, nbytes)


def survey(
    encoder: TextEncoder, sentences: Sequence[Text] = SENTENCES, progress: Callable[[float], None] | None = None
) -> Survey:
    """Run the encoder over the sentences and measure every head and layer.

    Sentences of the same number of tokens run together, so that nothing is ever padded. Only weights and streams are
    kept, about 0.2 MB a sentence for `base`. `progress` is called with the share of the sentences that are done;
    without it there is a bar.

    Raises:
        EncoderError: no sentence.
    """
    if not sentences:
        raise EncoderError("got 0 sentences; a survey takes 1 or more")
    words, weights, streams = [], [], []
    with shares("survey", progress) as tell:
        for trace in runs(encoder, sentences):
            words.append(trace.tokens)
            weights.append(attention_weights(trace).flatten(0, 1))  # [n_layers * H, n, n]
            streams.append(stream(trace))
            tell(len(words) / len(sentences))
    n_layers, n_heads = encoder.config.n_layers, encoder.config.n_heads
    measures = {name: m.view(n_layers, n_heads) for name, m in measured(weights, words).items()}
    labels = head_roles(weights, words)
    vectors = torch.cat(streams, 1)  # [n_layers + 1, tokens, d_model]
    return Survey(
        sentences=len(words),
        tokens=sum(len(w) for w in words),
        measures=measures,
        roles=[labels[i * n_heads : (i + 1) * n_heads] for i in range(n_layers)],
        likeness=likeness(weights),
        layer_cosine=torch.stack([cosine(x, vectors).mean(-1) for x in vectors]),
        layer_cka=cka_matrix(vectors),
    )


def head_measure(trace: Trace, name: str) -> Tensor:
    """One of HEAD_MEASURES of every head over a run: [n_layers, H]."""
    weights = attention_weights(trace)
    return measured([weights.flatten(0, 1)], [tokens(trace)], [name])[name].view(weights.shape[:2])


def runs(encoder: TextEncoder, sentences: Sequence[Text]) -> Iterator[Trace]:
    """One trace per sentence, those of the same length together."""
    by_length = defaultdict(list)
    for sentence in sentences:
        by_length[len(encoder.tokenize(sentence).ids)].append(sentence)
    for same in by_length.values():
        for start in range(0, len(same), BATCH):
            yield from encoder.trace(same[start : start + BATCH])


def measured(weights: list[Tensor], words: list[list[str]], names: Iterable[str] = HEAD_MEASURES) -> dict[str, Tensor]:
    """Some of HEAD_MEASURES, or all, over all rows of all sentences: name -> [heads]."""
    measures = {}
    for name in names:
        measure = HEAD_MEASURES[name]
        values = [measure.of(w, tokens) for w, tokens in zip(weights, words, strict=True)]
        measures[name] = mean(values, torch.tensor([measure.rows(tokens) for tokens in words]))
    return measures


def likeness(weights: list[Tensor]) -> Tensor:
    """`js_distance` over the rows of all sentences; those of the same length are measured together."""
    by_length = defaultdict(list)
    for w in weights:
        by_length[len(w[0])].append(w)
    parts = [torch.cat(same, 1) for same in by_length.values()]  # [heads, rows, n]
    return mean([js_distance(p) for p in parts], torch.tensor([p.shape[1] for p in parts]))


def mean(values: list[Tensor], counts: Tensor) -> Tensor:
    """The mean of values that stand for so many rows each; 0 where there are none."""
    return torch.einsum("s...,s->...", torch.stack(values), counts.float()) / counts.sum().clamp_min(1)
