"""Trials of what flows between tokens: whether weight is what is contributed, and who reaches whom.

A weight says how much of a value is taken, not how much the value holds: what is contributed is the length of the
weight times the value after W_O (Kobayashi et al. 2020).
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.explain.cost import run_flops, size
from encoder.metrics import SENTENCES, attention_weights, length
from encoder.metrics.flows import norm_weighted
from encoder.metrics.head_measures import runs
from encoder.pictures.labs.trial import USUAL_TOKENS, Cost, Finding, by_layer, claim, curves, judge, trial
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent
from encoder.trace.trace import Trace
from encoder.trace.words import punctuation

OVER = SENTENCES[:50]
FAR = (
    "The keys that the old man, who lived near the river and worked in a large office, left on the table belong to his "
    "daughter."
)
MOSTLY = 0.8  # of all rows
ROUNDING = 1e-5  # of the length of a vector


@claim("weight-contribution", "workflow", page="heads")
@trial(runs=50)
def weight_contributes(encoder: TextEncoder) -> Finding:
    """The token with the largest attention weight contributes most to what a head gives.

    Over fifty sentences, with all tokens and with words alone: no special tokens, no punctuation, as row or as column.
    """
    agreeing = torch.zeros(2, encoder.config.n_layers, dtype=torch.float64)
    rows = [0, 0]  # of each layer
    for trace in runs(encoder, OVER):
        everything, spoken = torch.arange(len(trace.tokens)), torch.tensor(words_of(trace))
        for kind, kept in enumerate((everything, spoken)):
            rows[kind] += encoder.config.n_heads * len(kept)
            for layer in range(encoder.config.n_layers):
                agreeing[kind, layer] += same_largest(trace, layer, kept)
    shares = agreeing / torch.tensor(rows)[:, None]
    every, words = (float(share) for share in shares.mean(1))
    text = (
        f"Over {len(OVER)} sentences, in {percent(every)} of {rows[0] * encoder.config.n_layers:,} rows the largest "
        f"weight is the largest contribution, the weight times what it hands over through W_O. Among words alone, "
        f"without special tokens and punctuation, it is in {percent(words)} of "
        f"{rows[1] * encoder.config.n_layers:,}. It counts as most rows from {percent(MOSTLY)} on."
    )
    picture = by_layer({"all tokens": shares[0], "words alone": shares[1]}, "largest weight contributes most")
    judgement = judge(every >= MOSTLY, "among words alone" if words >= MOSTLY else "")
    return Finding(every, "share of rows in which the largest weight contributes most", text, judgement, picture)


def words_of(trace: Trace) -> list[int]:
    """The positions of tokens that are neither special nor punctuation."""
    marks = trace.tokenization.special
    return [i for i, token in enumerate(trace.tokens) if not marks[i] and not punctuation(token)]


def same_largest(trace: Trace, layer: int, kept: Tensor) -> int:
    """In how many rows of all heads, among the tokens that are kept, the largest weight is the largest flow."""
    weights, flowing = (
        values[:, kept][:, :, kept].argmax(-1)
        for values in (attention_weights(trace, layer), norm_weighted(trace, layer))
    )
    return int((weights == flowing).sum())


def cost_of_each_token(encoder: TextEncoder, given: Mapping[str, Any]) -> Cost:
    """Return what a run without each token in turn costs, and one with all."""
    n = max(USUAL_TOKENS, len(encoder.tokenize(given.get("sentence", "")).ids))
    return Cost((n + 1) * run_flops(encoder.config, n), 2 * size(encoder.config).bytes_of_a_run(n), 0.1)


@claim("far-apart", "tutorial workflow", page="attention", sentence=FAR)
@trial(own_cost=cost_of_each_token)
def all_linked(encoder: TextEncoder, sentence: str) -> Finding:
    """One layer links any two words, however far apart they stand.

    Each token's vector is zeroed once before the first layer; the vectors of all others after that layer change.
    """
    step = "layers.0.output"
    before = encoder.trace(sentence)[step]
    changed = (
        torch.stack(
            [
                length(encoder.trace(sentence, edits=[Edit("embedding.output", "zero", positions=(j,))])[step] - before)
                for j in range(len(before))
            ],
            1,
        )
        / length(before)[:, None]
    )
    n = len(before)
    if n < 2:
        raise EncoderError("one token has no other; a sentence of two or more is needed")
    gaps = torch.arange(n)[:, None] - torch.arange(n)
    others = gaps != 0
    reached, pairs = int((changed[others] > ROUNDING).sum()), int(others.sum())
    by_gap = torch.stack([changed[gaps.abs() == gap].mean() for gap in range(1, n)])
    text = (
        f"After one layer {reached} of {pairs} pairs of tokens are linked: with the one taken out, the vector of the "
        f"other changes, on average by {percent(float(by_gap[0]))} for neighbours and by "
        f"{percent(float(by_gap[-1]))} at a distance of {n - 1}."
    )
    picture = curves({"change": by_gap}, range(1, n), ("distance", "change of the vector"))
    return Finding(reached / pairs, "share of pairs that are linked", text, judge(reached == pairs), picture)
