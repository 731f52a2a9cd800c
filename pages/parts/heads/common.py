"""What the tabs of All heads share: the measures of a head, the sentences they are taken over, and names of heads."""

import streamlit as st

from encoder.figures.theme import Kind
from encoder.metrics import Survey
from encoder.model.config import EncoderConfig
from pages.ui import session
from pages.ui.state import session_state as state

# name in the library -> (what it is called, kind of scale, what it says)
MEASURES: dict[str, tuple[str, Kind, str]] = {
    "entropy_share": (
        "Spread",
        "share",
        "Entropy as a share of the largest possible: 0 looks at one token, 1 at all alike.",
    ),
    "entropy": ("Entropy", "positive", "In nats; the most for n tokens is ln n."),
    "confidence": ("Confidence", "share", "The mean of each row's largest weight; it depends on the number of tokens."),
    "distance": ("Distance", "positive", "How many tokens away a head looks, on average."),
    "offset": ("Offset", "signed", "Which way a head looks: below 0 back, above 0 ahead, in tokens."),
    "self": ("On itself", "share", "Share of the weight that a token puts on itself."),
    "previous": ("Previous", "share", "Share of the weight on the token before."),
    "next": ("Next", "share", "Share of the weight on the token after."),
    "cls": ("[CLS]", "share", "Share of the weight on [CLS]."),
    "sep": ("[SEP]", "share", "Share of the weight on [SEP]."),
    "punctuation": ("Punctuation", "share", "Share of the weight on punctuation."),
}
OVER = ("this sentence", "100 sentences")


def surveyed() -> Survey:
    """Measures over this sentence or over the bundled ones, as chosen."""
    source = st.pills("Over", OVER, required=True, **state.choice("over", OVER, OVER[0]))
    return session.survey(None if source == OVER[1] else session.now().asked)


def places(config: EncoderConfig) -> list[tuple[int, int]]:
    """Layer and head of every head."""
    return [(layer, head) for layer in range(config.n_layers) for head in range(config.n_heads)]


def names(config: EncoderConfig) -> list[str]:
    """A short name for every head of every layer."""
    return [f"L{layer}H{head}" for layer, head in places(config)]


def chosen(config: EncoderConfig) -> int:
    """Which of all heads is the one of the sidebar."""
    view = state.current()
    return places(config).index((view.layer, view.head))
