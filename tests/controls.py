"""Models that know nothing: random weights in three shapes, and one in which every token looks at all alike."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch

from encoder import EncoderConfig, TextEncoder, checkpoint
from encoder.checkpoint.build import random_weights
from encoder.pictures.labs import link_claims
from encoder.pictures.labs.trial import Verdict
from encoder.trace.trace import Source

BASE = EncoderConfig(vocab_size=16384, d_model=512, n_heads=8, n_layers=6, d_ff=2048, max_positions=512, mlm_head=True)
SHAPES = {
    "MiniLM": EncoderConfig(
        vocab_size=16384,
        d_model=384,
        n_heads=12,
        n_layers=6,
        d_ff=1536,
        max_positions=512,
        positions="learned",
        activation="gelu",
        scale_embeddings=False,
        embedding_norm=True,
        n_segments=2,
        mlm_head=True,
    ),
    "base": BASE,
    "small": replace(BASE, d_model=128, n_heads=4, n_layers=4, d_ff=512),
}


def untrained(seed: int, shape: str = "MiniLM") -> TextEncoder:
    """A model of one of SHAPES that has learned nothing; it reads with the tokenizer of `base`."""
    return TextEncoder.from_config(SHAPES[shape], seed=seed, name=f"untrained {shape}")


def even(encoder: TextEncoder | None = None) -> TextEncoder:
    """A model without queries, so that its attention is even: that of `base`'s shape, or another one's weights."""
    if encoder is None:
        weights, config = random_weights(BASE, 0), BASE
        tokenizer = untrained(0).tokenizer
    else:
        weights = {name: tensor.detach().clone() for name, tensor in encoder.model.named_parameters()}
        config, tokenizer = encoder.config, encoder.tokenizer
    for name, tensor in weights.items():
        if ".w_q." in name:
            weights[name] = torch.zeros_like(tensor)
    model = checkpoint.build(config, weights, "weights without queries")
    return TextEncoder(model, tokenizer, Source("even", seed=0))


class ChanceLinks(NamedTuple):
    """Verdicts on every head and job of untrained models: how many were asked for, and what came out."""

    asked: int
    holds: int
    with_a_condition: int
    models_with_a_job: int


def chance_links(seeds: int, shapes: Sequence[str] = tuple(SHAPES)) -> ChanceLinks:
    """Every head and job of models of these shapes, each with so many seeds."""
    counts, models = list[Verdict](), 0
    for seed in range(seeds):
        for shape in shapes:
            encoder = untrained(seed, shape)
            every = {job: link_claims.links(encoder, job) for job in link_claims.LINKS}
            heads = range(encoder.config.n_heads)
            found = [
                link_claims.of_links(one, job, head).verdict for job, one in every.items() if one for head in heads
            ]
            counts += found
            models += any(one in (Verdict.HOLDS, Verdict.CONDITION) for one in found)
    return ChanceLinks(len(counts), counts.count(Verdict.HOLDS), counts.count(Verdict.CONDITION), models)
