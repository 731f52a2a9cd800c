"""The parts that every layer adds up, as shares that sum to 1."""

import streamlit as st

from encoder.pictures.registry.output import LAYER_SHARES, mean_shares
from pages.ui.picture import show


def draw() -> None:
    """Residual, attention, feed-forward and the rest: a share for every token and layer."""
    answer = show(
        LAYER_SHARES,
        more="A layer takes a token's vector and adds two others to it: what attention brings from all tokens, and "
        "what feed-forward makes of the token itself. Each square is one token in one layer: how much of the outcome "
        "is from there.",
    )
    rest = f" The rest, {mean_shares(answer)['rest']}, is the beta of the norm between."
    st.caption(
        "A share is a part's vector along the direction of the layer's last sum; the parts of one token and layer add "
        f"up to 1, and a negative one points against the sum.{'' if answer.scene.encoder.config.norm_first else rest}"
    )
