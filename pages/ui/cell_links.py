"""The opened number: how every picture opens one, and where in a picture it is."""

from collections.abc import Callable, Sequence
from typing import Any

from encoder.model.steps.step import PAIRS, PER_HEAD, Step
from encoder.pictures.view import Cell
from encoder.trace.trace import Trace
from pages.ui.component import component
from pages.ui.state import session_state as state

_clicks = component(__file__, "clicks", "<span></span>")


def open_number(cell: Cell) -> None:
    """Have the browser open a number in its drawer."""
    count, _ = state.session().opened
    state.session().opened = (count + 1, str(cell))
    state.change(cell=cell)


def close() -> None:
    """Know that the drawer was closed."""
    count, _ = state.session().opened
    state.session().opened = (count, "")
    state.change(cell=None)


def number() -> tuple[int, str]:
    """Return how often a number was opened in this session, and the last one; where none was, that of the link."""
    count, last = state.session().opened
    cell = state.current().cell
    return count, last or (str(cell) if cell is not None else "")


def index_of(step: Step, head: int, row: int, column: int) -> tuple[int, ...]:
    """The index in a step of a cell in its picture."""
    if step.shape in (PAIRS, PER_HEAD):
        return (head, row, column)
    return (column,) if step.single else (row, column)


def place_in(trace: Trace, step: Step, head: int) -> tuple[int, int] | None:
    """Row and column of a number, the opened one, in the picture of a step and head; None where it is not in that."""
    cell, n = state.current().cell, len(trace.tokens)
    if cell is None or cell.step != step.name or len(cell.index) != len(step.shape):
        return None
    if any(i >= size for i, size in zip(cell.index, step.sizes(trace.config, n), strict=True)):
        return None
    row, column = (0, *cell.index)[-2:]
    return (row, column) if index_of(step, head, row, column) == cell.index else None


def listen(
    chart: str,
    take: Callable[[int, int], None],
    mark: tuple[int, int] | None = None,
    at: Sequence[int] | None = None,
) -> None:
    """Have `take` called with the row and column of a heatmap that is clicked, and outline the cell `mark`.

    `chart` is the picture's key. For bars the row is always 0. `at` are the rows and columns that are drawn of a
    picture of pairs, where they are not all.
    """
    key = f"clicks_{chart}"
    if at is not None and mark is not None:
        mark = (at.index(mark[0]), at.index(mark[1])) if {*mark} <= {*at} else None

    def taken() -> None:
        place = state.picked(key, "cell")
        if isinstance(place, list) and len(place) == 2 and all(type(v) is int and v >= 0 for v in place):
            if at is None:
                take(*place)
            elif max(place) < len(at):
                take(at[place[0]], at[place[1]])

    _clicks(key=key, data={"chart": chart, "mark": mark}, on_cell_change=taken)


def clicks(trace: Trace, step: Step, head: int) -> dict[str, Any]:
    """What opens the number of a step whose cell in a picture is clicked, and the cell of the one that is open."""

    def take(row: int, column: int) -> None:
        open_number(Cell(step.name, index_of(step, head, row, column)))

    return {"take": take, "mark": place_in(trace, step, head)}


def clicks_on_words(trace: Trace, step: Step, words: list[list[int]]) -> dict[str, Any]:
    """The same in a picture of the best words; `words` are those behind each row and column."""

    def take(row: int, column: int) -> None:
        if row < len(words) and column < len(words[row]):
            open_number(Cell(step.name, (row, words[row][column])))

    place = place_in(trace, step, 0)
    drawn = place is not None and place[1] in words[place[0]]
    return {"take": take, "mark": (place[0], words[place[0]].index(place[1])) if place is not None and drawn else None}
