"""All heads of one layer as small maps."""

import streamlit as st

from encoder.pictures.maps import scales
from encoder.pictures.registry.grids import HEADS, step_of_pairs
from encoder.pictures.view import Cell
from pages.ui.components import maps
from pages.ui.picture import answer_of
from pages.ui.state import session_state as state
from pages.ui.step import opened
from pages.ui.text import heading, plain


def draw() -> None:
    """The step of the page, or the weights, with a matrix for each head; a click shows that head."""
    answer = answer_of(HEADS)
    scene, step = answer.scene, step_of_pairs(answer.scene)
    heading(f"All heads of layer {scene.layer}: {step.title.lower()}")

    def take(head: int, row: int, column: int) -> None:
        state.change(head=head)
        opened.open_number(Cell(step.name, (head, row, column)), fresh=True)

    pair = opened.place_in(scene.t, step, scene.head)
    small = maps.draw(answer, take, chosen=scene.head, cell=pair, least=150)
    told = plain(f"{scales(small)} {answer.left_out}".strip())
    st.caption(f"{told} A click shows that head above and opens the number under it.")
