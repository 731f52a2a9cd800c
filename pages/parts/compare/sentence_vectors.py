"""Which vectors of sentences are held against each other, and what taking the mean off them does."""

import streamlit as st

from encoder.attributions.similarity import Centred, Likeness
from encoder.formatting import listed
from encoder.metrics import SENTENCES
from encoder.text_encoder import TextEncoder
from pages.ui.state import session_state as state
from pages.ui.text import plain, say

PLAIN, LESS = "As they are", f"Minus the mean of {len(SENTENCES)} sentences"
HOW = {
    None: "This model was given no way to make one vector of a sentence; the mean over its tokens is taken.",
    "mean": "Its vector is the mean over the tokens.",
    "mean_sqrt_len": "Its vector is the sum over the tokens, divided by the square root of their number.",
    "max": "Its vector has, in each dimension, the largest number of any token: that token alone gets the share.",
    "cls": "Its vector is that of the first token alone.",
}


def minus_mean(encoder: TextEncoder) -> bool:
    """Say what the vector of a sentence is, and return whether the mean of a corpus is taken off it.

    Where one token stands for the sentence it is not: what that token gathered has no share in such a mean.
    """
    pooling, similarity = encoder.config.pooling, encoder.sentence.similarity if encoder.sentence else "cosine"
    other = "" if similarity == "cosine" else f" The folder itself compares by “{similarity}”, not by the cosine."
    st.caption(HOW[pooling] + plain(other))
    if pooling == "cls":
        return False
    options = (PLAIN, LESS)
    chosen = st.pills("Vectors", options, required=True, **state.choice("alike_view", options, PLAIN))
    return bool(chosen == LESS)


def say_terms(found: Centred, whole: Likeness) -> None:
    """What taking the mean of a corpus off both vectors does to their cosine."""
    terms = listed([f"{name} {value:.4f}" for name, value in found.terms.items()])
    say(
        f"Four terms of (a - m) · (b - m) make it: {terms}. As they are the vectors have {whole.cosine:.4f}.",
        plain(
            f"a and b are the two vectors, m is the mean of {len(SENTENCES)} sentences; each term is over the lengths "
            "of a - m and b - m. m · m is what all sentences have in common, and says nothing of these two. This is "
            "another number, and no correction of the first."
        ),
    )
