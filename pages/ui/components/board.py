"""A table of switches, one for each part of each layer, as one component: one click each, also by keyboard."""

from collections.abc import Callable, Mapping
from typing import TypedDict

from pages.ui.component import component
from pages.ui.state import session_state as state


class Effect(TypedDict):
    """What a part does: the colour of its effect, as CSS, and what is said of it."""

    colour: str
    said: str


_component = component(__file__, "board", "<div class='board'></div>")


def draw(
    key: str,
    rows: list[str],
    columns: list[str],
    off: list[list[bool]],
    on_pick: Callable[[int, int], None],
    effects: Mapping[tuple[int, int], Effect] | None = None,
) -> None:
    """Draw the switches; those that are off are marked by colour and by sign, the others by their effect, if known."""
    known = effects or {}
    _component(
        key=key,
        on_picked_change=lambda: picked(key, len(rows), len(columns), on_pick),
        data={
            "rows": rows,
            "columns": columns,
            "off": off,
            "effects": [[known.get((i, j)) for j in range(len(columns))] for i in range(len(rows))],
        },
    )


def picked(key: str, rows: int, columns: int, on_pick: Callable[[int, int], None]) -> None:
    """Hand on what was clicked; what comes from a browser is checked first."""
    said = state.picked(key)
    if not isinstance(said, list) or len(said) != 2 or any(type(v) is not int for v in said):
        return
    if 0 <= said[0] < rows and 0 <= said[1] < columns:
        on_pick(said[0], said[1])
