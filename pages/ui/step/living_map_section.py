"""The whole run in one picture, each number of which opens, and each step of which leads to its page."""

from encoder.pictures.registry.grids import DIFFERENCE, LIVING_MAP, UNCHANGED_RUN, unchanged_is_taken_off
from encoder.pictures.view import Cell
from pages.ui import cell_links, session
from pages.ui.components import living_map
from pages.ui.picture import answer_of, ask, tie
from pages.ui.state import session_state as state
from pages.ui.state import walk


def draw() -> None:
    """Draw the run, or its difference to the one without its changes."""
    scene = ask(LIVING_MAP)
    tie(DIFFERENCE, scene)
    before = session.run(scene.view.model, state.session().read) if unchanged_is_taken_off(scene) else None
    answer = answer_of(LIVING_MAP, scene, {UNCHANGED_RUN: before} if before is not None else None)
    living_map.draw(answer, open_number, open_step, scene.view.model, before)


def open_number(cell: Cell) -> None:
    """Open the number that was picked in the map."""
    cell_links.open_number(cell)


def open_step(name: str) -> None:
    """Go to the page of a step."""
    walk.show_step(session.now().step(name))
