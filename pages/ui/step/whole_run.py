"""The whole run in one picture, each number of which opens, and each step of which leads to its page."""

from encoder.pictures.view import Cell
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components import living_map
from pages.ui.state import walk
from pages.ui.step import opened


def draw(trace: Trace) -> None:
    """Draw the run."""
    living_map.draw(trace, open_number, open_step)


def draw_change(a: Trace, b: Trace, model: str) -> None:
    """Draw run B, of that model, as its difference to run A of as many tokens."""
    living_map.draw(b, None, open_step, model, other=a)


def open_number(cell: Cell) -> None:
    """Open the number that was picked in the map."""
    opened.open_number(cell, fresh=True)


def open_step(name: str) -> None:
    """Go to the page of a step."""
    walk.go(next(stop for stop in walk.stops(session.now().config) if stop.name == name))
