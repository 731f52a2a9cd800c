"""Attention, below its picture: what each head adds, one matrix for all heads, and the proof."""

import pandas as pd
import streamlit as st

from encoder.experiments import one_matrix
from encoder.pictures.registry.sublayer_pictures import BIAS_TABLE, HEAD_LENGTHS, HEAD_SHARES
from encoder.support.formatting import agreement, brief
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.picture_view import ask, show
from pages.ui.state import session_state as state
from pages.ui.step import step_panel
from pages.ui.text import heading, say
from pages.ui.widgets import fold


def draw() -> None:
    """Draw the page."""
    trace = session_runs.now()
    draw_head_outputs()
    if trace.config.position_bias:
        draw_bias_table()
    draw_one_matrix()
    step_panel.below("attention")


def draw_head_outputs() -> None:
    """How long each head's part of the output is at each token, and its share of the sum of all heads."""
    heading("What each head adds, after W_O")
    st.markdown(
        "Head h meets its own rows of W_O: the output is the sum of Z_h W_O^h over all heads, and b_O. Nothing of a "
        "head is left in place; it is spread over all dimensions and added to the others."
    )
    show(HEAD_LENGTHS)
    show(
        HEAD_SHARES,
        more="A share is the head's vector along the direction of the sum; over the heads, shares add up to 1, and a "
        "negative one works against the sum.",
    )


SLOPES = """These slopes are not learned: the paper fixed them, and all sentences and layers have the same. A head \
with a steep slope sees its neighbours, one with a flat slope the whole text."""
TABLE = """These {many} numbers are all that the position bias of this model adds; they {came}. A row is a head, and \
far distances share a number. The row of keys after the query that stand no place away is never read and left out."""


def draw_bias_table() -> None:
    """All of its numbers at once, and where they come from."""
    scene = ask(BIAS_TABLE)
    falls, at_random = scene.encoder.config.positions == "alibi", scene.encoder.source.seed is not None
    heading("How fast it falls, head by head" if falls else "The whole table, by distance")
    many = BIAS_TABLE.of(scene).numbers.array.size
    came = "were drawn at random, and training would change them" if at_random else "were learned"
    show(BIAS_TABLE, more=SLOPES if falls else TABLE.format(many=many, came=came))


NAMES = {"q": "queries", "k": "keys", "v": "values"}


def draw_one_matrix() -> None:
    """Queries, keys and values made by one matrix, and made again head by head, folded."""
    config = session_runs.now().config
    h, width, rows = config.n_heads, config.d_head, config.d_model
    fold(f"One matrix of {rows} × {h * width} is {h} matrices of {rows} × {width}", "one_matrix", compare_ways)


def compare_ways() -> None:
    """How far the two ways are apart, by head."""
    comparisons = one_matrix(session_runs.now(), state.current().layer)
    width = comparisons[0].cut[-1]
    table = pd.DataFrame(
        {NAMES[projection.name]: [brief(float(apart)) for apart in projection.apart] for projection in comparisons},
        index=pd.Index([f"head {i}" for i in range(len(comparisons[0].apart))], name="largest difference"),
    )
    downloads.shown_table(table, key="one_matrix_table")
    agreements = ", ".join(
        f"{NAMES[projection.name]} {agreement(float(projection.apart.max()), projection.size)}"
        for projection in comparisons
    )
    say(
        f"Made head by head and made by the one matrix they agree: {agreements}.",
        f"Columns 0 to {width - 1} of the one matrix belong to head 0, the next {width} to head 1, and so on.",
    )
