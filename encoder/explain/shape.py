"""A model's shape as a table: its hyperparameters, and what other depths of it would hold (paper, table 3)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from encoder.explain.cost import size
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig

DEPTHS = (6, 12, 24)  # layers of the paper's encoder, of BERT base and of BERT large
WIDER = 4  # d_ff = 4 d_model in the paper and in BERT


class Row(NamedTuple):
    """One hyperparameter: what it is, its name in the paper or in the configuration, and its value here."""

    what: str
    name: str
    value: str


def hyperparameters(config: EncoderConfig) -> list[Row]:
    """What decides a model's shape, in the paper's order.

    The table of positions is a buffer where it is computed: it is no parameter and no training changes it.
    """
    later = config.distance_parts or config.position_bias
    table = {
        "sinusoidal": "computed, not learned: no parameter",
        "learned": "learned",
        "none": "none added: scores know distances" if later else "none",
        "alibi": "scores fall with the distance: no parameter",
        "rotary": "queries and keys turned: no parameter",
    }
    return [
        Row("layers", "N", str(config.n_layers)),
        Row("width of the stream", "d_model", f"{config.d_model:,}"),
        Row("width of the feed-forward", "d_ff", f"{config.d_ff:,} = {config.d_ff / config.d_model:.3g} d_model"),
        Row("heads", "h", str(config.n_heads)),
        Row("width of a head", "d_k = d_v", f"{config.d_head} = {config.d_model} / {config.n_heads}"),
        Row("words it knows", "vocabulary", f"{config.vocab_size:,}"),
        Row("longest input", "max_positions", f"{config.max_positions:,} tokens"),
        Row("positions", "positions", table[config.positions]),
        Row("activation", "activation", ACTIVATIONS[config.activation].title),
        Row("place of the norm", "norm", "before each sublayer" if config.norm_first else "after each sum"),
        Row("dropout", "P_drop", "0 in every run here; it belongs to training"),
    ]


class Depth(NamedTuple):
    """What a model of this width would hold with so many layers and d_ff = 4 d_model."""

    layers: int
    d_ff: int
    block: int
    parameters: int


def depths(config: EncoderConfig, layers: Sequence[int] = DEPTHS) -> list[Depth]:
    """The parameters of other depths of a model, by formula; nothing is built."""
    found = []
    for n in layers:
        one, none = (
            size(replace(config, n_layers=k, d_ff=WIDER * config.d_model, shared_layers=False)).parameters
            for k in (n, 2 * n)
        )
        found.append(Depth(n, WIDER * config.d_model, (none - one) // n, one))
    return found
