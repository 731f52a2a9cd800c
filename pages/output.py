"""Output: what comes out, and when it was settled."""

import numpy as np
import pandas as pd
import streamlit as st

from encoder.metrics import BUNDLED, most_active, stream, survey
from encoder.pictures.expression import ENC, call
from encoder.pictures.registry.output_pictures import (
    AFTER,
    ALIKE_COSINE,
    ALIKE_LINEAR,
    ALIKE_TOKENS,
    LAYER_SHARES,
    LENS_TOKEN,
    MEANING,
    MOVE,
    MOVES,
    NEAREST,
    PATHS,
    after_names,
    mean_shares,
)
from encoder.support.formatting import brief
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask, kept, show, tie
from pages.ui.refusals import parts
from pages.ui.state import session_state as state
from pages.ui.step import step_panel
from pages.ui.text import NUMBER, heading, plain
from pages.ui.widgets import fold, pick_token

OF_WAYS, OF_SOURCES = {"move", "alike_layer", "layers_alike"}, {"units_open", "unit_token"}


def draw_changes() -> None:
    """How the vectors change, in this sentence and over many."""
    parts(draw_moves, draw_alike_tokens, draw_paths)
    fold(f"How alike the layers are, over {BUNDLED}", "layers_alike", draw_alike_layers)


def draw_sources() -> None:
    """What each layer adds up, and what the units behind it stand for."""
    parts(draw_shares)
    fold("Units of the feed-forward and the words they point to", "units_open", draw_units, holds={"unit_token"})


def draw() -> None:
    """Draw the page."""
    fold("The nearest words of the table", "words_open", draw_nearest_words, holds={"lens_token"})
    fold("How the vectors change from layer to layer", "ways_open", draw_changes, holds=OF_WAYS)
    fold("Where vectors come from", "sources_open", draw_sources, holds=OF_SOURCES)
    step_panel.below("output")


def draw_nearest_words() -> None:
    """A token, and the nearest words to it before the first layer and after each one."""
    scene = ask(NEAREST)
    pick_token("Token", scene.t.tokens, LENS_TOKEN.key, LENS_TOKEN.usual(scene))
    scene = ask(NEAREST)
    if not np.isfinite(NEAREST.of(scene, kept(scene)).numbers.array).all():
        st.markdown("Some vectors of this token are not numbers, so no word is near.")
        return
    show(
        NEAREST,
        scene=scene,
        more="Cosine with the rows of the embedding table; no head and no bias is asked, as a guess of a word would.",
    )


def draw_moves() -> None:
    """How far each token's vector moves in each layer."""
    heading("How each vector moves")
    st.pills("Shown", list(MEANING), required=True, **tie(MOVE, ask(MOVES)))
    scene = ask(MOVES)
    show(MOVES, scene=scene, more=MEANING[scene[MOVE]])


def draw_alike_tokens() -> None:
    """The cosine between every two tokens."""
    scene = ask(ALIKE_TOKENS)
    heading("How alike the tokens are")
    st.select_slider("After", after_names(scene), **tie(AFTER, scene))
    show(ALIKE_TOKENS)


def draw_paths() -> None:
    """The two directions in which the tokens differ most."""
    heading("The paths of the tokens")
    if not bool(stream(session_runs.now()).isfinite().all()):
        st.markdown("Some vectors of this run are not numbers, so there are no paths to draw.")
        return
    show(
        PATHS,
        more="All tokens after all layers stand in these (principal components of all of them together). The large dot "
        "is the input; the name stands at the end, where it lies on no other; point at a dot to read it.",
    )


def draw_alike_layers() -> None:
    """Two measures of likeness, layer by layer."""
    every = session_runs.survey(None)
    for column, picture in zip(st.columns(2), (ALIKE_COSINE, ALIKE_LINEAR), strict=True):
        with column:
            show(picture, known={call(survey, ENC): every})
    st.markdown(
        plain(
            f"Over {every.sentences} sentences and {every.tokens} tokens: the least alike neighbours among the layers "
            f"have cosine {brief(every.least_neighbours)}. Linear CKA (Kornblith et al. 2019) does not mind rotations."
        )
    )


def draw_shares() -> None:
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


def draw_units() -> None:
    """A token, its units, and the words whose embeddings are nearest."""
    trace, view = session_runs.now(), state.current()
    tokens = trace.tokens
    st.markdown(f"A unit is one of the numbers in the middle of the feed-forward, here of layer {view.layer}.")
    position = pick_token("Token", tokens, "unit_token")
    values, units = most_active(trace[trace.step(f"layers.{view.layer}.feed_forward.output").inputs[0]][position], 5)
    rows = [
        {
            "unit": unit,
            "activation": value,
            "its output points to": session_runs.words_of_unit(view.model, view.layer, unit),
        }
        for unit, value in zip(units.tolist(), values.tolist(), strict=True)
    ]
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="unit_words", column_config={"activation": NUMBER})
    st.caption("Words whose embedding has the largest cosine with what the unit writes; later layers still act on it.")
