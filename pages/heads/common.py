"""What the tabs of Heads share: the sentences that heads are measured over."""

from dataclasses import dataclass

import streamlit as st

from encoder.metrics import Survey
from encoder.metrics.head_measures import HeadSurvey
from encoder.model.config import EncoderConfig
from encoder.pictures.expression import Expression
from encoder.pictures.registry.heads import LIKENESS, MANY, MEASURED, OVER, SPANS
from encoder.pictures.registry.heads import measured as measured_over
from pages.ui import session
from pages.ui.picture import ask, tie
from pages.ui.server.atlases import heads_of
from pages.ui.step import which_atlas


@dataclass(frozen=True)
class Measured:
    """Measures of all heads, the expression that makes them again, and over what, in words."""

    heads: HeadSurvey
    measurement: Expression
    over: str


def measured() -> Measured:
    """Measures over this sentence or over many, which are those of an atlas of the model where there is one."""
    atlas, scene = session.atlas(), ask(MEASURED)
    names = {MANY: f"{atlas.card.many} of its atlas"} if atlas else {}
    over = st.pills("Over", SPANS, required=True, format_func=lambda span: names.get(span, span), **tie(OVER, scene))
    if over == MANY and (atlas := which_atlas.choose()):
        measurement = measured_over(ask(MEASURED))
        return Measured(heads_of(atlas), measurement, f"Read from the atlas of this model: on {atlas.card.scope}.")
    heads = session.survey(None if over == MANY else session.now().inputs)
    many = f"{heads.sentences} sentence{'s' if heads.sentences > 1 else ''}, {heads.tokens} tokens"
    return Measured(heads, measured_over(ask(MEASURED)), f"Over {many}.")


def survey() -> Survey:
    """What only a survey has, over this sentence or over the bundled ones, as chosen."""
    over = st.pills("Over", SPANS, required=True, **tie(OVER, ask(LIKENESS)))
    return session.survey(None if over == MANY else session.now().inputs)


def places(config: EncoderConfig) -> list[tuple[int, int]]:
    """Layer and head of every head."""
    return [(layer, head) for layer in range(config.n_layers) for head in range(config.n_heads)]


def names(config: EncoderConfig) -> list[str]:
    """A short name for every head of every layer."""
    return [f"L{layer}H{head}" for layer, head in places(config)]
