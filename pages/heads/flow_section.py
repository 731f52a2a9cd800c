"""What really flows: weights against what they carry, and what a token keeps of itself."""

import streamlit as st

from encoder.metrics import disagreement, gained
from encoder.pictures.registry.grids import FLOW, FLOW_MINUS_WEIGHT, FLOW_WEIGHT
from encoder.pictures.registry.heads_pictures import MIXING
from encoder.pictures.view import Cell
from encoder.support.formatting import points, shown
from pages.ui import cell_links
from pages.ui.picture_view import ask, show
from pages.ui.refusals import parts
from pages.ui.state import session_state as state
from pages.ui.text import heading, say


def draw() -> None:
    """One head's weights against what they carry, and the mixing ratio."""
    parts(draw_weight_and_flow, draw_mixing)


def draw_weight_and_flow() -> None:
    """Weight, flow and their difference, and the weight of a picked pair."""
    scene = ask(FLOW_MINUS_WEIGHT)
    tokens, step = scene.t.tokens, scene.t.step(f"layers.{scene.layer}.attention.weights")
    heading(f"Looking is not taking (layer {scene.layer}, head {scene.head})")
    st.markdown(
        "The weight says how much one token looks at another; what it takes is the weight times the vector that the "
        "other hands over. A short vector moves little, however large the weight. Click a pair to open its weight."
    )
    mark = cell_links.place_in(scene.t, step, scene.head)
    for column, picture in zip(st.columns(3), (FLOW_WEIGHT, FLOW, FLOW_MINUS_WEIGHT), strict=True):
        with column:
            st.caption(SAYS[picture.key])
            show(picture, take=open_weight, mark=mark)
    st.caption(
        "The scale of the flow is that of all heads. In formulas ‖A f(x)‖, where f(x) is the value taken through the "
        "head's part of W_O (Kobayashi et al. 2020)."
    )
    more = gained(disagreement(scene.t, scene.layer)[scene.head])
    most, least = int(more.argmax()), int(more.argmin())
    say(
        f"Over all rows, and against its weight, “{shown(tokens[most])}” ({most}) hands over most, "
        f"and “{shown(tokens[least])}” ({least}) "
        f"least: on average over the rows its share of the flow is {points(float(-more[least]) / len(tokens))} below "
        "its share of the weight."
    )


SAYS = {
    FLOW_WEIGHT.key: "**Weight**: how much the token of the row looks at that of the column.",
    FLOW.key: "**Flow**: how much it takes from there: weight times length of the vector handed over.",
    FLOW_MINUS_WEIGHT.key: "**Flow as shares minus weight**: above 0 the column gives more than its weight promises.",
}


def open_weight(row: int, column: int) -> None:
    """Open the weight of the pair that was picked."""
    view = state.current()
    cell_links.open_number(Cell(f"layers.{view.layer}.attention.weights", (view.head, row, column)))


def draw_mixing() -> None:
    """The mixing ratio of every token in every layer."""
    heading("How much of each vector comes from others")
    st.markdown(
        "A layer adds what attention brings to what a token had. How much of the result is from **other** tokens?"
    )
    show(
        MIXING,
        more="The rest is its own: what it had before (the residual), and what it takes from itself. In the papers "
        "this is the mixing ratio with the residual, before the norm (AttnRes-N, Kobayashi et al. 2021).",
    )
