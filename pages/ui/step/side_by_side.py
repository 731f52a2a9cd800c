"""Two runs side by side at any step."""

from collections.abc import Callable, Mapping

import streamlit as st

from encoder.experiments.compare import aligned_tokens, beside, both
from encoder.model.steps.step import PAIRS
from encoder.pictures.picture import Picture
from encoder.pictures.registry.side_by_side_pictures import BESIDE_STEP, step_of, steps_of_both
from encoder.pictures.scene import Scene
from encoder.pictures.view import Cell
from encoder.support.errors import EncoderError
from pages.ui import cell_links, session_runs
from pages.ui.picture_view import show, tie
from pages.ui.text import plain

Take = Callable[[int, int], None]
NARROWEST = 400  # pixels of a map that stands beside others


def draw(scene: Scene, pictures: Mapping[str, Picture]) -> None:
    """One step of both runs and their difference, on scales that fit both; `pictures` of these by what stands above."""
    st.selectbox("Step", steps_of_both(scene), **tie(BESIDE_STEP, scene))
    step, every = step_of(scene), both(aligned_tokens(scene.t, scene.b))
    try:
        beside(scene.t, scene.b, step.name)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    row = st.grid("auto", min_column_width=NARROWEST)
    for (title, picture), run, places in zip(pictures.items(), (scene.t, scene.b, None), (*every, []), strict=True):
        with row.container():
            st.markdown(f"**{plain(title)}**")
            of_session = run is session_runs.now() and not step.single
            take, mark = openable(scene, places) if of_session else (None, None)
            answer = show(picture, scene=scene, sentence=False, take=take, mark=mark)
    st.markdown(plain(answer.sentence))


def openable(scene: Scene, places: list[int]) -> tuple[Take, tuple[int, int] | None]:
    """What opens a number of this session's run where it is clicked, and the open one; the rows stand at `places`."""
    step, trace, head = step_of(scene), session_runs.now(), scene.head
    across = places if step.shape == PAIRS else list(range(step.sizes(trace.config, len(trace.tokens))[-1]))
    place, mark = cell_links.place_in(trace, step, head), None
    if place is not None and place[0] in places and place[1] in across:
        mark = places.index(place[0]), across.index(place[1])

    def take(row: int, column: int) -> None:
        if row < len(places) and column < len(across):
            cell = Cell(step.name, cell_links.index_of(step, head, places[row], across[column]))
            cell_links.open_number(cell)

    return take, mark
