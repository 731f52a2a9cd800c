"""What the tabs of All heads share: the sentences that heads are measured over, and names of heads."""

import streamlit as st

from encoder.export.caption import UNCHANGED, About, quoted
from encoder.metrics import BUNDLED, Survey
from encoder.model.config import EncoderConfig
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.state import session_state as state

OVER = ("this sentence", "100 sentences")


def surveyed() -> Survey:
    """Measures over this sentence or over the bundled ones, as chosen."""
    source = st.pills("Over", OVER, required=True, **state.choice("over", OVER, OVER[0]))
    return session.survey(None if source == OVER[1] else session.now().inputs)


def about(found: Survey) -> About:
    """What a picture of the measures shows."""
    over = BUNDLED if found.sentences > 1 else quoted(session.now().inputs)
    return About(source=session.now().source, scope=f"{over}, {UNCHANGED}")


def surveying(found: Survey) -> str:
    """The expression that measures over the same sentences again."""
    return "survey(enc)" if found.sentences > 1 else f"survey(enc, [{session.now().inputs!r}])"


def every_weight(trace: Trace) -> About:
    """What a picture of all weights of a run shows."""
    return About(trace, reads=(f"layers.{trace.config.n_layers - 1}.attention.weights",))


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
