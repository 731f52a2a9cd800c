"""Weights against what they hand over, in one head."""

import streamlit as st

from encoder.metrics import disagreement, gained
from encoder.pictures.maps import scales
from encoder.pictures.registry.grids import FLOWS
from encoder.pictures.view import Cell
from encoder.support.formatting import points, shown
from pages.ui import cell_links
from pages.ui.components import maps
from pages.ui.downloads import table
from pages.ui.picture import answer_of
from pages.ui.state import session_state as state
from pages.ui.text import heading, say


def draw() -> None:
    """Weight, flow and their difference as maps, and the weight of a picked pair."""
    answer = answer_of(FLOWS)
    scene, tokens = answer.scene, answer.scene.t.tokens
    heading(f"Looking is not taking (layer {scene.layer}, head {scene.head})")
    say(
        answer.sentence,
        "In no pair of this head are the two further apart. The weight says how much one token looks at another; "
        "what it takes is the weight times the vector that the other hands over. A short vector moves little, "
        "however large the weight.",
    )
    step = scene.t.step(f"layers.{scene.layer}.attention.weights")
    pair = cell_links.place_in(scene.t, step, scene.head)
    three = maps.draw(answer, open_weight, cell=pair, exact=True, least=176)
    st.markdown(
        "- **Weight**: how much the token of the row looks at that of the column.\n"
        "- **Flow**: how much it takes from there: weight times length of the vector handed over.\n"
        "- **Flow as shares minus weight**: above 0 the column gives more than its weight promises, below 0 less."
    )
    st.caption(
        f"{scales(three)} The scale of the flow is that of all heads. Click a pair to open its weight. "
        "In formulas ‖A f(x)‖, where f(x) is the value taken through the head's part of W_O (Kobayashi et al. 2020)."
    )
    more = gained(disagreement(scene.t, scene.layer)[scene.head])
    most, least = int(more.argmax()), int(more.argmin())
    say(
        f"Over all rows, and against its weight, “{shown(tokens[most])}” ({most}) hands over most, "
        f"and “{shown(tokens[least])}” ({least}) "
        f"least: on average over the rows its share of the flow is {points(float(-more[least]) / len(tokens))} below "
        "its share of the weight."
    )
    table.folded(FLOWS.key, answer.rows)


def open_weight(number: int, row: int, column: int) -> None:
    """Open the weight of the pair that was picked."""
    view = state.current()
    cell_links.open_number(Cell(f"layers.{view.layer}.attention.weights", (view.head, row, column)))
