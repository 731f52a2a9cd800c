"""The form of a model's configuration: its fields, and what they say together."""

import math

import streamlit as st

from encoder import PRESETS
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import CHOICES, LONGEST, EncoderConfig
from pages.ui.state import session_state as state

TOKENS_OF_BASE = 16_384  # an untrained model reads text with the tokenizer of `base`
FIRST = 4  # of COUNTS are in sight, all other fields are folded
# field -> (what it is called, smallest, largest)
COUNTS = {
    "n_layers": ("Layers", 1, 48),
    "d_model": ("d_model, the width", 8, 2048),
    "n_heads": ("Heads", 1, 64),
    "d_ff": ("d_ff, feed-forward width", 8, 8192),
    "vocab_size": ("Vocabulary", TOKENS_OF_BASE, 100_000),
    "max_positions": ("Longest input, in tokens", 16, LONGEST),
}
# field -> (what it is called, what each value is called)
OPTIONS: dict[str, tuple[str, dict[bool | str | int, str]]] = {
    "norm_first": ("Place of the norm", {False: "after adding (post-norm)", True: "before (pre-norm)"}),
    "norm": ("Norm formula", {name: name for name in CHOICES["norm"]}),
    "final_norm": ("After the stack", {False: "nothing", True: "a final norm"}),
    "activation": ("Activation", {name: one.title for name, one in ACTIVATIONS.items()}),
    "positions": ("Positions", {name: name for name in CHOICES["positions"]}),
    "position_buckets": ("Added to the scores", {0: "nothing", 32: "a position bias"}),
    "distance_scores": (
        "Scores of distances",
        {"none": "none", "c2p": "content to position", "p2c": "position to content", "both": "both"},
    ),
    "window": ("Window of local layers", {0: "none", 2: "2 neighbours", 8: "8 neighbours", 64: "64 neighbours"}),
    "gated": ("Feed-forward", {False: "plain", True: "gated"}),
    "attention_bias": ("Biases of attention", {True: "yes", False: "none"}),
    "feed_forward_bias": ("Biases of feed-forward", {"both": "yes", "second": "W_2 only", "none": "none"}),
    "norm_bias": ("Beta of the norms", {True: "yes", False: "none"}),
    "scale_embeddings": ("Embeddings", {True: "times √d_model", False: "as they are"}),
    "mlm_head": ("Head that guesses words", {False: "none", True: "masked-language-model head"}),
}
FIELDS = [*COUNTS, *OPTIONS]
FROM_PRESET = (  # fields that the form does not ask for
    "norm_eps", "embedding_norm", "n_segments", "mask_value", "rope_theta", "local_rope_theta", "first_norm",
    "rope_scaling", "rope_factor", "local_rope_factor", "head_bias", "distance_span", "distance_limit", "distance_norm",
    "distance_maps",
)  # fmt: skip
NOTHING = 0  # what stands in the form for None
MASKED = -1e9  # where a window may leave a token with nobody to see
SEED = 2**31 - 1  # the largest


def draw() -> int:
    """Every field of the configuration, filled from a preset at first; returns the seed."""
    st.selectbox("Start from", list(PRESETS), key="preset", on_change=take_preset)
    if not state.has("build_d_model"):
        take_preset()
    with st.grid("auto", min_column_width=170):
        for name in list(COUNTS)[:FIRST]:
            count(name)
    with st.expander("All other fields"), st.grid("auto", min_column_width=190):
        for name in list(COUNTS)[FIRST:]:
            count(name)
        for name, (title, values) in OPTIONS.items():
            st.selectbox(title, list(values), format_func=values.__getitem__, key=f"build_{name}")
        return int(st.number_input("Seed", 0, SEED, value=0, step=1, key="build_seed"))


def count(name: str) -> None:
    """The field of a number."""
    title, low, high = COUNTS[name]
    st.number_input(title, low, high, step=1, key=f"build_{name}")


def take_preset() -> None:
    """Fill the form with a preset."""
    chosen = PRESETS[state.value("preset")]
    shown = {name: getattr(chosen, name) for name in FIELDS}
    state.show(**{f"build_{name}": NOTHING if value is None else value for name, value in shown.items()})


def asked() -> EncoderConfig:
    """The configuration that the form describes; EncoderError if there is none."""
    like = {name: getattr(PRESETS[state.value("preset")], name) for name in FROM_PRESET}
    given = {name: state.value(f"build_{name}") for name in FIELDS}
    given["window"] = given["window"] or None
    if given["window"] and like["mask_value"] == -math.inf:
        like["mask_value"] = MASKED
    return EncoderConfig(**given, **like)
