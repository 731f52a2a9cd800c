"""Every head of every layer as a small map."""

import streamlit as st

from encoder.exam.sentences import head_titles
from encoder.pictures.maps import scales
from encoder.pictures.registry.grids import ALL_HEADS
from pages.parts.heads.common import chosen, places
from pages.ui import session
from pages.ui.components import maps
from pages.ui.picture import answer_of
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.step import words_only
from pages.ui.text import plain

BELOW = "Where there is room, the surest job for which a head has a licence stands below its map."


def draw() -> None:
    """A row of maps for each layer; a click opens one."""
    config = session.now().config
    st.markdown(
        "Every head of every layer on this sentence, a row for each layer. In each map rows look and columns are "
        "looked at. Click one to open it."
    )
    words_only.choose()
    exam = session.exam()
    jobs = head_titles(exam) if exam is not None else {}
    answer = answer_of(ALL_HEADS)
    small = maps.draw(answer, visit, notes=[jobs.get(head, "") for head in places(config)], chosen=chosen(config))
    st.caption(plain(f"{scales(small)} {answer.left_out} {BELOW if jobs else ''}"))


def visit(number: int, row: int, column: int) -> None:
    """Show the head that was picked on the attention page."""
    layer, head = places(session.now().config)[number]
    state.change(layer=layer, head=head, step="attention.weights", cell=None)
    state.session().go_to = page_of("attention").script
