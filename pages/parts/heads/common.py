"""What the tabs of All heads share: the sentences that heads are measured over, and names of heads."""

from dataclasses import dataclass

import streamlit as st

from encoder.export.caption import UNCHANGED, About, quoted
from encoder.metrics import BUNDLED, Survey
from encoder.metrics.habits import HeadSurvey
from encoder.model.config import EncoderConfig
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.server.atlases import heads_of
from pages.ui.state import session_state as state
from pages.ui.step import which_atlas

OVER = ("this sentence", "100 sentences")


@dataclass(frozen=True)
class Measured:
    """Measures of all heads, the expression that makes them again (none of an atlas), and over what, in words."""

    heads: HeadSurvey
    made: str
    about: About
    over: str


def measured() -> Measured:
    """Measures over this sentence or over many, which are those of an atlas of the model where there is one."""
    trace, atlas = session.now(), session.atlas()
    names = {OVER[1]: f"{atlas.card.many} of its atlas"} if atlas else {}
    tie = state.choice("over", OVER, OVER[0])
    source = st.pills("Over", OVER, required=True, format_func=lambda one: names.get(one, one), **tie)
    if source == OVER[1] and (atlas := which_atlas.choose()):
        scope = atlas.card.scope
        about = About(source=trace.source, scope=f"{scope}, {UNCHANGED}")
        return Measured(heads_of(atlas), "", about, f"Read from the atlas of this model: on {scope}.")
    over = session.survey(None if source == OVER[1] else trace.inputs)
    many = f"{over.sentences} sentence{'s' if over.sentences > 1 else ''}, {over.tokens} tokens"
    return Measured(over, surveying(over), about_survey(over), f"Over {many}.")


def surveyed() -> Survey:
    """What only a survey has, over this sentence or over the bundled ones, as chosen."""
    source = st.pills("Over", OVER, required=True, **state.choice("over", OVER, OVER[0]))
    return session.survey(None if source == OVER[1] else session.now().inputs)


def about_survey(found: HeadSurvey) -> About:
    """What a picture of a survey shows."""
    over = BUNDLED if found.sentences > 1 else quoted(session.now().inputs)
    return About(source=session.now().source, scope=f"{over}, {UNCHANGED}")


def surveying(found: HeadSurvey) -> str:
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
