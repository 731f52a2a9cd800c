"""Models and runs that packets are made of: what tests of packets share."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from shared_models import pretrained

from encoder import PRESETS, ClassifierConfig, EncoderConfig, TextEncoder
from encoder.edits.edit import Edit
from encoder.trace.trace import Trace

SIZE = {"vocab_size": 16384, "max_positions": 64}
CONFIGS = {
    "MiniLM": EncoderConfig(
        n_layers=3,
        d_model=60,
        n_heads=12,
        d_ff=110,
        activation="gelu",
        positions="learned",
        n_segments=2,
        embedding_norm=True,
        scale_embeddings=False,
        pooling="mean",
        unit_length=True,
        **SIZE,
    ),
    "ModernBERT": replace(PRESETS["modern"], n_layers=4, d_model=56, n_heads=7, d_ff=66, window=2, **SIZE),
    "T5": EncoderConfig(
        n_layers=2, d_model=48, n_heads=3, d_ff=77, positions="none", position_buckets=32, mlm_head=True, **SIZE
    ),
}
CONFIGS |= {
    "classifier": EncoderConfig(
        n_layers=2,
        d_model=48,
        n_heads=3,
        d_ff=77,
        positions="learned",
        classifier=ClassifierConfig(("negative", "<b>positive</b>"), activation="tanh"),
        **SIZE,
    ),
    "tagger": EncoderConfig(
        n_layers=2,
        d_model=48,
        n_heads=3,
        d_ff=77,
        classifier=ClassifierConfig(("O", "B-PER", "I-PER"), "token"),
        **SIZE,
    ),
}
MODELS = (pytest.param("base", marks=pytest.mark.slow), "small", *CONFIGS)
MASKED = "The [MASK] sat on unbelievably soft mats, and [MASK]."
EDITS = (Edit("layers.1.attention.heads", "zero", heads=(2,)), Edit("embedding.positions", "zero"))
RUNS: dict[str, Callable[[TextEncoder], Trace]] = {
    "plain": lambda encoder: encoder.trace("The quokka didn't hide."),
    "masked": lambda encoder: encoder.trace(MASKED),
    "pair": lambda encoder: encoder.trace(("The [MASK] sat.", "A dog ran <b>away</b>.")),
    "hidden": lambda encoder: encoder.trace(MASKED, hidden=(2, 4)),
    "edited": lambda encoder: encoder.trace(MASKED, edits=EDITS),
    "padded": lambda encoder: encoder.trace([MASKED * 2, "The [MASK] sat."])[1],
}


@cache
def encoder_of(model: str) -> TextEncoder:
    if model not in CONFIGS:
        return pretrained(model)
    return TextEncoder.from_config(CONFIGS[model], 3, name=model)


@cache
def trace_of(model: str, run: str) -> Trace:
    return RUNS[run](encoder_of(model))
