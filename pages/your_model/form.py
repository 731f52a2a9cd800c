"""The form of a model's configuration, and what its fields say together."""

import math

import streamlit as st

from encoder import PRESETS
from encoder.model.config import EncoderConfig
from pages.ui.state import session_state as state
from pages.your_model.fields import COUNTS, FIRST, OPTIONS

FIELDS = [*COUNTS, *OPTIONS]
FROM_PRESET = (  # fields that the form does not ask for
    "norm_eps",
    "embedding_norm",
    "n_segments",
    "mask_value",
    "rope_theta",
    "local_rope_theta",
    "first_norm",
    "rope_scaling",
    "rope_factor",
    "local_rope_factor",
    "head_bias",
    "distance_span",
    "distance_limit",
    "distance_norm",
    "distance_maps",
)
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
