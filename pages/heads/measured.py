"""All heads measured: where each looks, one measure, how alike they are, between sentences, inside one."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import streamlit as st

from encoder.metrics import HEAD_MEASURES, MARGIN, MOST, ROLES, WAYS, Survey
from encoder.metrics.head_measures import HeadSurvey
from encoder.metrics.roles import NO_ROLE
from encoder.model.config import EncoderConfig
from encoder.pictures.expression import Expression
from encoder.pictures.registry.heads_pictures import (
    BETWEEN,
    INSIDE_TERMS,
    KEY,
    LIKENESS,
    MANY,
    MEASURE,
    MEASURED,
    OVER,
    PLANE,
    QUERY,
    SPANS,
    WAY,
    measured,
    surveyed,
    token_title,
)
from encoder.support.formatting import listed, percent, points, shown
from encoder.trace.trace import Trace
from pages.heads import examined, over_a_list
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask, show, tie
from pages.ui.refusals import shows_errors
from pages.ui.server.measurements import heads_of
from pages.ui.state import session_state as state
from pages.ui.step.sections import pick_atlas
from pages.ui.text import NUMBER, arrow, heading, plain, say
from pages.ui.widgets import fold, pick_token


@dataclass(frozen=True)
class Measured:
    """Measures of all heads, the expression that makes them again, and over what, in words."""

    heads: HeadSurvey
    measurement: Expression
    over: str


def measured_heads() -> Measured:
    """Measures over this sentence or over many, which are those of an atlas of the model where there is one."""
    atlas, scene = session_runs.atlas(), ask(MEASURED)
    names = {MANY: f"{atlas.card.many} of its atlas"} if atlas else {}
    over = st.pills("Over", SPANS, required=True, format_func=lambda span: names.get(span, span), **tie(OVER, scene))
    if over == MANY and (atlas := pick_atlas()):
        measurement = measured(ask(MEASURED))
        return Measured(heads_of(atlas), measurement, f"Read from the atlas of this model: on {atlas.card.scope}.")
    heads = session_runs.survey(None if over == MANY else session_runs.now().inputs)
    many = f"{heads.sentences} sentence{'s' if heads.sentences > 1 else ''}, {heads.tokens} tokens"
    return Measured(heads, measured(ask(MEASURED)), f"Over {many}.")


def survey_heads() -> Survey:
    """What only a survey has, over this sentence or over the bundled ones, as chosen."""
    over = st.pills("Over", SPANS, required=True, **tie(OVER, ask(LIKENESS)))
    return session_runs.survey(None if over == MANY else session_runs.now().inputs)


def head_places(config: EncoderConfig) -> list[tuple[int, int]]:
    """Layer and head of every head."""
    return [(layer, head) for layer in range(config.n_layers) for head in range(config.n_heads)]


def head_names(config: EncoderConfig) -> list[str]:
    """A short name for every head of every layer."""
    return [f"L{layer}H{head}" for layer, head in head_places(config)]


def draw_roles() -> None:
    """The jobs that were examined, the heads with a place to look, and all heads with all measures as a table."""
    examined.draw_jobs()
    fold("Beside another model, relation by relation", "heads_beside", examined.draw_beside, holds={"heads_other"})
    fold("Examine heads on trees of your own", "heads_trees", examined.draw_own_trees)
    fold("Measure a list of sentences", "heads_list", over_a_list.draw)
    heading("Where each head looks")
    config = session_runs.now().config
    over, heads = measured_heads(), head_names(config)
    survey = over.heads
    roles = [survey.roles[i][h] for i, h in head_places(config)]
    looking = [
        f"{head} {role.label} ({percent(role.mass)})"
        for head, role in zip(heads, roles, strict=True)
        if role.label in ROLES[:3]
    ]
    those = ", ".join(looking) if looking else "none that chance does not explain"
    st.markdown(plain(f"Heads with a place to look: {those}. {over.over}"))
    numbers = {}
    for name, measure in HEAD_MEASURES.items():
        with shows_errors():  # an atlas may be older than a measure
            numbers[measure.title] = survey.measures[name].flatten().numpy()
    table = pd.DataFrame([asdict(role) for role in roles], index=heads).assign(**numbers).rename_axis("head")
    table = table.rename(columns={"label": "looks at"}).replace({"looks at": {NO_ROLE: "no one place"}})
    downloads.shown_table(table, key="roles", column_config=dict.fromkeys(table.columns[2:], NUMBER))
    st.caption(
        f"A head is labelled where it puts more than {percent(MOST)} of its weight on a role, and at least "
        f"{points(MARGIN)} more than uniform attention would and than it does with the tokens in a shuffled order; n "
        "counts the queries. A place to look is no job. “special” is [CLS] and [SEP] together, where neither has the "
        "role alone. Weights alone do not explain what a model answers."
    )


def draw_measures() -> None:
    """The chosen measure as a picture, a row for each layer."""
    over = measured_heads()
    st.pills("Measure", list(HEAD_MEASURES), required=True, format_func=title_of, **tie(MEASURE, ask(MEASURED)))
    scene = ask(MEASURED)
    show(MEASURED, scene=scene, known={over.measurement: over.heads})
    st.markdown(plain(f"{HEAD_MEASURES[scene[MEASURE]].meaning} {over.over}"))
    if over.heads.sentences == 1 and (state.current().hidden or session_runs.now().padding):
        st.caption("Measured on the whole sentence, with no token masked.")


def title_of(name: str) -> str:
    """What a measure is called on its button."""
    return plain(HEAD_MEASURES[name].title)


def draw_likeness() -> None:
    """The divergence between every two heads, as a matrix and as points in the plane."""
    heads = survey_heads()
    if not np.isfinite(heads.likeness.numpy()).all():
        st.markdown("Some weights of this model are not numbers here, so its heads cannot be compared.")
        return
    known = {surveyed(ask(LIKENESS)): heads}
    show(LIKENESS, known=known)
    st.caption("Jensen-Shannon divergence in nats: 0 the same rows, ln 2 never on the same token.")
    show(PLANE, known=known)


def draw_between() -> None:
    """One way between the sentences for every head."""
    st.pills("From sentence to sentence", list(WAYS), required=True, format_func=arrow, **tie(WAY, ask(BETWEEN)))
    show(BETWEEN)


def draw_inside() -> None:
    """Two tokens, their score in layer 0, and what the chosen head would do with their bare words."""
    scene = ask(INSIDE_TERMS)
    tokens = scene.t.tokens
    with st.container(horizontal=True):
        query = pick_token("It looks (query)", tokens, QUERY.key, QUERY.usual(scene))
        key = pick_token("It is looked at (key)", tokens, KEY.key, KEY.usual(scene))
    looks, looked_at = (token_title(scene, at) for at in (query, key))
    heading(f"Layer 0, head {scene.head}: why {looks} scores {looked_at} as it does")
    show(INSIDE_TERMS)
    st.caption(
        "In layer 0 a token is its word, its place, its sentence and what biases add, so a score is a sum over pairs "
        "of those. The norm divides by the spread that it had in this run. In later layers a token mixes many words."
    )
    with shows_errors():
        draw_weights_alone(scene.t, scene.layer, scene.head, query, key)


def draw_weights_alone(trace: Trace, layer: int, head: int, query: int, key: int) -> None:
    """What the head would look for, and what it would write, if it met the words alone."""
    heading(f"Layer {layer}, head {head}: what its weights alone say")
    model = state.current().model
    looks, _ = session_runs.words_of_head(model, layer, head, trace.ids[query])
    _, writes = session_runs.words_of_head(model, layer, head, trace.ids[key])
    first, second = (f"“{shown(trace.tokens[at])}”" for at in (query, key))
    say(
        f"At {first} it looks for {listed([f'“{shown(word)}”' for word, _ in looks[:3]])}.",
        plain(f"From {second} it writes towards {listed([f'“{shown(word)}”' for word, _ in writes[:3]])}."),
    )
    table = pd.DataFrame(
        {
            f"at {first} it looks for": [shown(word) for word, _ in looks],
            "score": [value for _, value in looks],
            f"from {second} it writes towards": [shown(word) for word, _ in writes],
            "cosine": [value for _, value in writes],
        }
    )
    columns = dict.fromkeys(("score", "cosine"), NUMBER)
    downloads.shown_table(table, hide_index=True, key="inside_words", column_config=columns)
    deeper = "" if layer == 0 else f" In layer {layer} what arrives is no longer the word, so take it as a hint."
    st.caption(
        "Of the weights alone: words as the embedding table has them, without a place and without company, through "
        "this head's W_Q and W_K, or W_V and W_O. Scores with all words of the vocabulary, and the words of the "
        f"embedding table nearest to what is written; no run is read.{deeper}"
    )
