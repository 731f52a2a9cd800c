"""The cosine of two sentences: its exact shares, for pairs of tokens or of what one token gathered."""

import streamlit as st

from encoder.experiments.attributions.similarity import Centred, centred, likeness
from encoder.metrics import SENTENCES
from encoder.pictures.registry.compare_sentences import COSINE_SHARES, LESS, PLAIN, VECTORS, whole
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, listed
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.text import plain, say

HOW = {
    None: "This model was given no way to make one vector of a sentence; the mean over its tokens is taken.",
    "mean": "Its vector is the mean over the tokens.",
    "mean_sqrt_len": "Its vector is the sum over the tokens, divided by the square root of their number.",
    "max": "Its vector has, in each dimension, the largest number of any token: that token alone gets the share.",
    "cls": "Its vector is that of the first token alone.",
}


def draw() -> None:
    """The number, how it is shared out, and what the mean of other sentences has to do with it."""
    choose(scene := ask(COSINE_SHARES))
    a, b = scene.t, scene.b
    if scene.encoder.config.pooling == "cls":  # a matrix of tokens has one cell; this is what it gathered
        show(
            COSINE_SHARES,
            scene=scene,
            more="One token stands for the sentence: a row is what the last layer's heads gathered for it from a "
            "token, what it was before that layer, or another part of it.",
        )
        return
    shared = centred(a, b, session.mean_vector()) if scene[VECTORS] == LESS else likeness(a, b)
    words = brief(shared.between_words(a, b))
    more = plain(f"Pairs of words alone add up to {words}, pairs with a special token to the rest.")
    show(COSINE_SHARES, scene=scene, known={whole(scene): shared}, more=more)
    st.caption(
        "A row or column is the vector at that position, which has gathered from its whole sentence, and not the word "
        "alone. Vectors of a model that was not trained to compare sentences share a large part whatever they say."
    )
    if isinstance(shared, Centred):
        say_terms(shared, likeness(a, b).cosine)


def choose(scene: Scene) -> None:
    """Say what the vector of a sentence is, and offer to take the mean of many sentences off it.

    Where one token stands for the sentence that is not offered: what the token gathered has no share in such a mean.
    """
    pooling, similarity = scene.encoder.config.pooling, getattr(scene.encoder.sentence, "similarity", "cosine")
    other = "" if similarity == "cosine" else f" The folder itself compares by “{similarity}”, not by the cosine."
    st.caption(HOW[pooling] + plain(other))
    if pooling != "cls":
        st.pills("Vectors", (PLAIN, LESS), required=True, **tie(VECTORS, scene))


def say_terms(found: Centred, cosine: float) -> None:
    """What taking the mean of many sentences off both vectors does to their cosine."""
    terms = listed([f"{name} {value:.4f}" for name, value in found.terms.items()])
    say(
        f"Four terms of (a - m) · (b - m) make it: {terms}. As they are the vectors have {cosine:.4f}.",
        plain(
            f"a and b are the two vectors, m is the mean of {len(SENTENCES)} sentences; each term is over the lengths "
            "of a - m and b - m. m · m is what all sentences have in common, and says nothing of these two. This is "
            "another number, and no correction of the first."
        ),
    )
