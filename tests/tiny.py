"""Encoders small enough to build by the dozen: sizes that no two axes share, and weights where nothing is 0 or 1."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from encoder import PRESETS, ClassifierConfig, EncoderConfig, TextEncoder, checkpoint
from encoder.model.encoder import Encoder
from encoder.trace.trace import Source

SENTENCE = "w1 w2 w3 w2 w4"  # 7 tokens with [CLS] and [SEP], one word twice
SIZES = {"vocab_size": 53, "d_model": 30, "n_heads": 3, "d_ff": 44, "max_positions": 19}
TINY = EncoderConfig(**SIZES, n_layers=2)

LABELS = ("negative", "positive", "neither", "<b>bold</b>", "neither")  # names may be anything, also the same
VARIANTS: dict[str, EncoderConfig] = {
    "post-norm": TINY,
    "pre-norm": replace(TINY, norm_first=True),
    "final-norm": replace(TINY, final_norm=True),
    "pre-norm-final-norm": replace(TINY, norm_first=True, final_norm=True),
    "std-norm": replace(TINY, norm="std_norm"),
    "std-norm-everywhere": replace(TINY, norm="std_norm", final_norm=True, embedding_norm=True, mlm_head=True),
    "std-norm-pre-norm": replace(TINY, norm="std_norm", norm_first=True),
    "learned-positions": replace(TINY, positions="learned"),
    "no-positions": replace(TINY, positions="none"),
    "gelu": replace(TINY, activation="gelu"),
    "embedding-norm": replace(TINY, embedding_norm=True),
    "segments": replace(TINY, n_segments=2),
    "segments-embedding-norm": replace(TINY, n_segments=2, embedding_norm=True),
    "mlm-head": replace(TINY, mlm_head=True),
    "mlm-head-gelu": replace(TINY, mlm_head=True, activation="gelu"),
    "unscaled-embeddings": replace(TINY, scale_embeddings=False),
    "finite-mask": replace(TINY, mask_value=-1e9),
    "gelu-tanh": replace(TINY, activation="gelu_tanh", mlm_head=True),
    "silu": replace(TINY, activation="silu", mlm_head=True),
    "head-activation": replace(TINY, activation="relu", mlm_head=True, head_activation="gelu"),
    "narrow": replace(TINY, embedding_size=18, mlm_head=True, n_segments=2),
    "narrow-norm": replace(TINY, embedding_size=18, mlm_head=True, embedding_norm=True, positions="learned"),
    "shared-layers": replace(TINY, n_layers=3, shared_layers=True),
    "albert": replace(
        TINY,
        embedding_size=18,
        embedding_norm=True,
        scale_embeddings=False,
        positions="learned",
        n_segments=2,
        mlm_head=True,
        activation="gelu_tanh",
        shared_layers=True,
    ),
    "mean-of-tokens": replace(TINY, pooling="mean", unit_length=True),
    "largest-of-tokens": replace(TINY, pooling="max", mlm_head=True),
    "first-of-tokens": replace(TINY, pooling="cls", unit_length=True),
    "scaled-sum-of-tokens": replace(TINY, pooling="mean_sqrt_len"),
    "labels": replace(TINY, classifier=ClassifierConfig(LABELS, activation="tanh")),
    "labels-of-the-mean": replace(
        TINY,
        mlm_head=True,
        classifier=ClassifierConfig(LABELS, problem="regression", reading="mean", activation="gelu", norm=True),
    ),
    "labels-after-the-mean-square": replace(
        TINY,
        norm="rms_norm",
        norm_bias=False,
        head_bias=False,
        classifier=ClassifierConfig(LABELS, activation="silu", norm=True),
    ),
    "late-labels": replace(
        TINY, classifier=ClassifierConfig(LABELS, problem="multi_label", reading="late", activation="gelu")
    ),
    "labels-words": replace(TINY, classifier=ClassifierConfig(LABELS, reading="words")),
    "labels-alone": replace(TINY, classifier=ClassifierConfig(LABELS)),
    "labels-of-tokens": replace(TINY, classifier=ClassifierConfig(LABELS, "token")),
    "labels-of-tokens-normed": replace(
        TINY, norm="std_norm", classifier=ClassifierConfig(LABELS, "token", activation="relu", norm=True)
    ),
    "rotary": replace(TINY, positions="rotary"),
    "rotary-theta-per-layer": replace(
        TINY, positions="rotary", rope_theta=500.0, local_rope_theta=20.0, window=2, global_every=2, mask_value=-1e9
    ),
    "rotary-linear": replace(TINY, positions="rotary", rope_theta=30.0, rope_scaling="linear", rope_factor=3.0),
    "rotary-ntk": replace(TINY, positions="rotary", rope_theta=30.0, rope_scaling="ntk", rope_factor=2.5),
    "rotary-ntk-of-some-layers": replace(
        TINY,
        positions="rotary",
        rope_scaling="ntk",
        rope_factor=2.0,
        local_rope_factor=1.0,
        window=2,
        global_every=2,
        mask_value=-1e9,
    ),
    "position-bias": replace(TINY, positions="learned", position_buckets=8, scale_embeddings=False),
    "position-bias-alone": replace(TINY, positions="none", position_buckets=32),
    "alibi": replace(TINY, positions="alibi", scale_embeddings=False),
    "alibi-of-four-heads": replace(TINY, positions="alibi", d_model=32, n_heads=4, window=2, mask_value=-1e9),
    "disentangled": replace(TINY, positions="none", distance_scores="both", distance_span=4, distance_limit=9),
    "disentangled-norm": replace(
        TINY, distance_scores="both", distance_span=8, distance_norm=True, distance_maps=True, embedding_norm=True
    ),
    "content-to-position": replace(TINY, positions="learned", distance_scores="c2p", distance_span=3, mlm_head=True),
    "position-to-content": replace(
        TINY,
        positions="none",
        distance_scores="p2c",
        distance_span=4,
        distance_maps=True,
        window=2,
        mask_value=-1e9,
        attention_bias=False,
        norm_first=True,
        norm_bias=False,
        distance_norm=True,
    ),
    "window": replace(TINY, window=1, mask_value=-1e4, n_layers=3),
    "position-bias-and-window": replace(TINY, position_buckets=16, window=2, mask_value=-1e9),
    "gated": replace(TINY, gated=True, activation="silu"),
    "rms-norm": replace(TINY, norm="rms_norm", mlm_head=True, final_norm=True, embedding_norm=True),
    "rms-norm-pre-norm": replace(TINY, norm="rms_norm", norm_first=True, norm_bias=False, final_norm=True),
    "no-biases": replace(
        TINY, attention_bias=False, feed_forward_bias="none", norm_bias=False, head_bias=False, mlm_head=True
    ),
    "gate-without-biases": replace(TINY, gated=True, feed_forward_bias="none", activation="gelu"),
    "bias-of-the-second-map": replace(TINY, gated=True, feed_forward_bias="second"),
    "no-first-norm": replace(TINY, norm_first=True, first_norm=False, embedding_norm=True),
    "modern-mlm-head": replace(PRESETS["modern"], **SIZES, n_layers=2, mlm_head=True, window=2, n_segments=2),
    "one-head": replace(TINY, n_heads=1, d_model=22),
    **{  # of four layers at most, among which are all kinds of layers that a preset has
        f"preset-{name}": replace(config, **SIZES, n_layers=min(config.n_layers, 4)) for name, config in PRESETS.items()
    },
}


def choices(config: EncoderConfig) -> dict[str, object]:
    """Return what tells one shape from another: each option's value, of a number whether it is the usual one."""
    usual = EncoderConfig()
    values = {name: value for name, value in vars(config).items() if name not in {*SIZES, "n_layers", "trained_length"}}
    return {
        name: value if isinstance(value, bool | str | None) else value == getattr(usual, name)
        for name, value in values.items()
    }


def pairs_of_choices(config: EncoderConfig) -> set[tuple[tuple[str, object], ...]]:
    """Return every two choices that this shape makes at once."""
    return set(combinations(choices(config).items(), 2))


def covering(shapes: Mapping[str, EncoderConfig]) -> tuple[str, ...]:
    """Return shapes that together make every choice, one after the other the one with most pairs not yet made."""
    pairs = {name: pairs_of_choices(config) for name, config in shapes.items()}
    missing = {choice for config in shapes.values() for choice in choices(config).items()}
    names: list[str] = []
    made = set[tuple[tuple[str, object], ...]]()
    while missing:
        names.append(max(pairs, key=lambda name: len(pairs[name] - made)))
        made |= pairs[names[-1]]
        missing -= choices(shapes[names[-1]]).items()
    return tuple(names)


COVERING = covering(VARIANTS)


def each_name(rest: pytest.MarkDecorator = pytest.mark.nightly) -> list[Any]:
    """Return the names of VARIANTS as parameters of a test; all but the covering ones carry the mark `rest`."""
    return [pytest.param(name, marks=() if name in COVERING else rest) for name in VARIANTS]


def tiny_tokenizer() -> Tokenizer:
    """Reads "w0" to "w47"; anything else is [UNK]."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(48))]
    tokenizer = Tokenizer(WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.add_special_tokens(pieces[:5])
    return tokenizer


def tiny_model(config: EncoderConfig, seed: int = 0) -> Encoder:
    """Every weight, bias, gamma and beta drawn at random, so that leaving one out or exchanging two shows."""
    generator = torch.Generator().manual_seed(seed)

    def draw(name: str, shape: torch.Size) -> torch.Tensor:
        drawn = torch.randn(shape, generator=generator)
        if len(shape) == 2:
            return drawn * shape[1] ** -0.5
        return 0.3 * drawn + ("norm" in name and name.endswith("weight"))

    tensors = {name: draw(name, tensor.shape) for name, tensor in Encoder(config).named_parameters()}
    return checkpoint.build(config, tensors, "the tiny weights")


def tiny(config: EncoderConfig, seed: int = 0) -> TextEncoder:
    """A tiny model behind the front door."""
    return TextEncoder(tiny_model(config, seed), tiny_tokenizer(), Source("tiny", f"seed {seed}"))
